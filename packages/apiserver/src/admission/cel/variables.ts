import {
  CelMap,
  type CelResult,
  type CelType,
  type CelValue,
  dynType,
  type Environment,
  failure,
  objectType,
} from "@homeostat/cel";
import { admissionEnvironment } from "./environment.ts";
import { compileExpression, type Expression } from "./expressions.ts";
import type { Bindings } from "@homeostat/cel";

/** The compiled variables of a policy. Each may refer to those before it. */
export interface PolicyVariables {
  /** CEL type of `variables`. */
  readonly type: CelType;
  readonly expressions: ReadonlyMap<string, Expression>;
  /** Compile error of each variable, in order; empty strings for those without. */
  readonly problems: readonly string[];
}

const typeName = "kubernetes.variables";

/** A scope in which variables are compiled in order: the type of `variables` gains a field with each. */
class VariableScope {
  readonly #fields = new Map<string, CelType>();
  readonly #environment: Environment;
  readonly type: CelType = objectType(typeName, this.#fields);

  constructor({ hasParams }: { readonly hasParams: boolean }) {
    this.#environment = admissionEnvironment({ hasParams, hasAuthorizer: true, variables: this.type });
  }

  /** Compiles a variable, which may refer to those before it. */
  declare(name: string, source: string): Expression {
    const compiled = compileExpression(this.#environment, source);
    this.#fields.set(name, compiled.type ?? dynType);
    return compiled;
  }
}

/** A variable declaration of a policy. */
export interface DeclaredVariable {
  readonly name: string;
  readonly expression: string;
}

/** Compiles variables in order. */
export function compileVariables(declared: readonly DeclaredVariable[], hasParams: boolean): PolicyVariables {
  const steps = compileVariablesStepwise(declared, hasParams);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/**
 * The most recently compiled variables: one write of a policy compiles them several times, in admission and validation.
 */
let last: { readonly key: string; readonly compiledVariables: PolicyVariables } | undefined;

/** Compiles variables in order and yields after each, so that the caller can interrupt the work. */
export function* compileVariablesStepwise(
  declared: readonly DeclaredVariable[],
  hasParams: boolean,
): Generator<string, PolicyVariables, undefined> {
  const key = JSON.stringify([hasParams, declared.map(({ name, expression }) => [name, expression])]);
  if (last?.key === key) return last.compiledVariables;
  const scope = new VariableScope({ hasParams });
  const expressions = new Map<string, Expression>();
  const problems: string[] = [];
  for (const { name, expression } of declared) {
    const compiled = scope.declare(name, expression);
    expressions.set(name, compiled);
    problems.push(compiled.problem);
    yield expression;
  }
  const compiledVariables = { type: scope.type, expressions, problems };
  if (declared.length > 0) last = { key, compiledVariables };
  return compiledVariables;
}

/** The values of variables, evaluated on first use and at most once. */
export class LazyVariables extends CelMap {
  readonly #expressions: ReadonlyMap<string, Expression>;
  readonly #cached = new Map<string, CelResult>();
  #bindings: Bindings = {};
  #cost = 0;

  constructor(expressions: ReadonlyMap<string, Expression>) {
    super();
    this.#expressions = expressions;
  }

  /**
   * Sets the bindings that the variables are evaluated with. Separate from the constructor, because the bindings
   * contain this object itself.
   */
  bind(bindings: Bindings): void {
    this.#bindings = bindings;
  }

  /** Returns the cost of evaluating variables since the last call. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  override get size(): number {
    return this.#expressions.size;
  }

  override keys(): readonly CelValue[] {
    return [...this.#expressions.keys()];
  }

  override find(key: CelValue): CelResult | undefined {
    if (typeof key !== "string") return undefined;
    const cached = this.#cached.get(key);
    if (cached !== undefined) return cached;
    const expression = this.#expressions.get(key);
    if (expression === undefined) return undefined;
    const value = this.#evaluate(key, expression);
    this.#cached.set(key, value);
    return value;
  }

  #evaluate(name: string, expression: Expression): CelResult {
    if (expression.problem !== "") {
      return failure(`composited variable ${JSON.stringify(name)} fails to compile: ${expression.problem}`);
    }
    const evaluated = expression.evaluate(this.#bindings);
    this.#cost += evaluated.cost;
    if ("value" in evaluated) return evaluated.value;
    const why = evaluated.error.replace(`expression '${expression.source}' resulted in error: `, "");
    return failure(`composited variable ${JSON.stringify(name)} fails to evaluate: ${why}`);
  }
}
