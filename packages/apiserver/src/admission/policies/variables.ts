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
import { admissionEnvironment } from "../cel/environment.ts";
import { compileExpression, type Expression } from "../cel/expressions.ts";
import type { Bindings } from "@homeostat/cel";

/** The variables of a policy, each of which may use those before it. */
export interface PolicyVariables {
  /** The type of `variables`. */
  readonly type: CelType;
  readonly expressions: ReadonlyMap<string, Expression>;
  /** Why each does not compile, in their order; empty when it does. */
  readonly problems: readonly string[];
}

const typeName = "kubernetes.variables";

/** Variables while they are declared, one after the other: the type of all of them grows with each. */
class VariableScope {
  readonly #fields = new Map<string, CelType>();
  readonly #environment: Environment;
  readonly type: CelType = objectType(typeName, this.#fields);

  constructor({ hasParams }: { readonly hasParams: boolean }) {
    this.#environment = admissionEnvironment({ hasParams, hasAuthorizer: true, variables: this.type });
  }

  /** Compiles a variable, which may use those before it. */
  declare(name: string, source: string): Expression {
    const compiled = compileExpression(this.#environment, source);
    this.#fields.set(name, compiled.type ?? dynType);
    return compiled;
  }
}

/** A variable as a policy has it. */
export interface DeclaredVariable {
  readonly name: string;
  readonly expression: string;
}

/** Compiles variables in their order. */
export function compileVariables(declared: readonly DeclaredVariable[], hasParams: boolean): PolicyVariables {
  const steps = declaring(declared, hasParams);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** The variables that were compiled last: a policy is looked at several times on its way. */
let last: { readonly key: string; readonly made: PolicyVariables } | undefined;

/** The same one after the other: whoever has much to do can let others in between. */
export function* declaring(
  declared: readonly DeclaredVariable[],
  hasParams: boolean,
): Generator<string, PolicyVariables, undefined> {
  const key = JSON.stringify([hasParams, declared.map(({ name, expression }) => [name, expression])]);
  if (last?.key === key) return last.made;
  const scope = new VariableScope({ hasParams });
  const expressions = new Map<string, Expression>();
  const problems: string[] = [];
  for (const { name, expression } of declared) {
    const compiled = scope.declare(name, expression);
    expressions.set(name, compiled);
    problems.push(compiled.problem);
    yield expression;
  }
  const made = { type: scope.type, expressions, problems };
  if (declared.length > 0) last = { key, made };
  return made;
}

/** The values of variables, evaluated when an expression asks for them and at most once. */
export class LazyVariables extends CelMap {
  readonly #expressions: ReadonlyMap<string, Expression>;
  readonly #known = new Map<string, CelResult>();
  #bindings: Bindings = {};
  #cost = 0;

  constructor(expressions: ReadonlyMap<string, Expression>) {
    super();
    this.#expressions = expressions;
  }

  /** What the variables are evaluated with: they may use each other, so this comes later. */
  bind(bindings: Bindings): void {
    this.#bindings = bindings;
  }

  /** What evaluating them has cost since the last time this was asked. */
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
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const expression = this.#expressions.get(key);
    if (expression === undefined) return undefined;
    const value = this.#evaluate(key, expression);
    this.#known.set(key, value);
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
