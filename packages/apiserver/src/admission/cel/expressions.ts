// Expressions that are compiled once and evaluated often, with the error messages of the real server.

import {
  CelCompileError,
  CelEvaluationError,
  type Bindings,
  type CelType,
  type CelValue,
  type Environment,
  formatType,
  type Program,
} from "@homeostat/cel";

/** Cost that one evaluation may have. */
const costLimit = 1_000_000;

/** Result of an evaluation. */
export type Evaluated =
  | { readonly value: CelValue; readonly cost: number }
  | { readonly error: string; readonly cost: number };

/** A compiled expression, or one that failed to compile. */
export class Expression {
  readonly source: string;
  readonly #program: Program | undefined;
  /** Compile error in the words of the real server; empty if the expression compiled. */
  readonly problem: string;

  constructor(source: string, program: Program | undefined, problem: string) {
    this.source = source;
    this.#program = program;
    this.problem = problem;
  }

  /** Type of its value; undefined if the expression does not compile. */
  get type(): CelType | undefined {
    return this.#program?.resultType;
  }

  evaluate(bindings: Bindings): Evaluated {
    if (this.#program === undefined) return { error: `compilation error: ${this.problem}`, cost: 0 };
    try {
      return this.#program.evaluateWithCost(bindings, { costLimit });
    } catch (error) {
      if (!(error instanceof CelEvaluationError)) throw error;
      return { error: `expression '${this.source}' resulted in error: ${error.message}`, cost: error.cost };
    }
  }
}

/** Types whose names in messages differ from those of the type checker. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["null", "null_type"],
  ["timestamp", "google.protobuf.Timestamp"],
  ["duration", "google.protobuf.Duration"],
]);

function typeText(type: CelType): string {
  return formatType(type, ({ kind }) => otherNames.get(kind));
}

/**
 * Expressions compiled in advance, see `compilePolicies`. A policy with many expressions would otherwise block the
 * event loop for too long while it is validated.
 */
let precompiled = new WeakMap<Environment, Map<string, Expression>>();

function keyOf(source: string, types: readonly CelType[]): string {
  return `${types.map((type) => typeText(type)).join(" ")}: ${source}`;
}

/** Discards the expressions that were compiled in advance. */
export function discardPrecompiled(): void {
  precompiled = new WeakMap();
}

/** Compiles an expression in advance. A later {@link compileExpression} returns it without compiling. */
export function precompile(environment: Environment, source: string, types: readonly CelType[] = []): Expression {
  const cached = precompiled.get(environment) ?? new Map<string, Expression>();
  precompiled.set(environment, cached);
  const key = keyOf(source, types);
  const compiled = cached.get(key) ?? compileNow(environment, source, types);
  cached.set(key, compiled);
  return compiled;
}

/** Compiles an expression that must have one of the given types; without types, any is allowed. */
export function compileExpression(
  environment: Environment,
  source: string,
  types: readonly CelType[] = [],
): Expression {
  return precompiled.get(environment)?.get(keyOf(source, types)) ?? compileNow(environment, source, types);
}

function compileNow(environment: Environment, source: string, types: readonly CelType[]): Expression {
  try {
    const program = environment.compile(source);
    const found = typeText(program.resultType);
    if (types.length === 0 || types.some((type) => typeText(type) === found)) {
      return new Expression(source, program, "");
    }
    const [only] = types;
    const expected =
      types.length === 1 && only !== undefined
        ? typeText(only)
        : `one of [${types.map((type) => typeText(type)).join(" ")}]`;
    return new Expression(source, undefined, `must evaluate to ${expected} but got ${found}`);
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    const stage = error.stage === "compilation" ? "compilation failed" : "program instantiation failed";
    return new Expression(source, undefined, `${stage}: ${error.message}`);
  }
}
