// Expressions that are compiled once and evaluated often, with the errors of the real server.

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

/** The most that one evaluation may cost. */
const costLimit = 1_000_000;

/** What became of an evaluation. */
export type Evaluated =
  | { readonly value: CelValue; readonly cost: number }
  | { readonly error: string; readonly cost: number };

/** An expression that was compiled, or what is wrong with it. */
export class Expression {
  readonly source: string;
  readonly #program: Program | undefined;
  /** Why it does not compile, in the words of the real server; empty when it does. */
  readonly problem: string;

  constructor(source: string, program: Program | undefined, problem: string) {
    this.source = source;
    this.#program = program;
    this.problem = problem;
  }

  /** The type of its value; undefined when it does not compile. */
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

/** Types that are called otherwise here than in the messages of the checker. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["null", "null_type"],
  ["timestamp", "google.protobuf.Timestamp"],
  ["duration", "google.protobuf.Duration"],
]);

function typeText(type: CelType): string {
  return formatType(type, ({ kind }) => otherNames.get(kind));
}

/** What was compiled ahead of its use, for a policy that has so many expressions that others would have to wait. */
let ahead = new WeakMap<Environment, Map<string, Expression>>();

function keyOf(source: string, types: readonly CelType[]): string {
  return `${types.map((type) => typeText(type)).join(" ")}: ${source}`;
}

/** Forgets what was compiled ahead. */
export function forgetAhead(): void {
  ahead = new WeakMap();
}

/** Compiles an expression whose use comes later: {@link compileExpression} then has it. */
export function compileAhead(environment: Environment, source: string, types: readonly CelType[] = []): Expression {
  const known = ahead.get(environment) ?? new Map<string, Expression>();
  ahead.set(environment, known);
  const key = keyOf(source, types);
  const made = known.get(key) ?? compileNow(environment, source, types);
  known.set(key, made);
  return made;
}

/** Compiles an expression that has to be of one of some types; of any when none is given. */
export function compileExpression(
  environment: Environment,
  source: string,
  types: readonly CelType[] = [],
): Expression {
  return ahead.get(environment)?.get(keyOf(source, types)) ?? compileNow(environment, source, types);
}

function compileNow(environment: Environment, source: string, types: readonly CelType[]): Expression {
  try {
    const program = environment.compile(source);
    const found = typeText(program.resultType);
    if (types.length === 0 || types.some((type) => typeText(type) === found)) {
      return new Expression(source, program, "");
    }
    const [only] = types;
    const wanted =
      types.length === 1 && only !== undefined
        ? typeText(only)
        : `one of [${types.map((type) => typeText(type)).join(" ")}]`;
    return new Expression(source, undefined, `must evaluate to ${wanted} but got ${found}`);
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    const stage = error.stage === "compilation" ? "compilation failed" : "program instantiation failed";
    return new Expression(source, undefined, `${stage}: ${error.message}`);
  }
}
