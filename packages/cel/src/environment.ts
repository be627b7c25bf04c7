import type { Range } from "./cost/model.ts";
import type { Library } from "./library.ts";
import type { CelType } from "./types/type.ts";
import type { CelValue } from "./values/value.ts";

/** What an environment is made of. */
export interface EnvironmentOptions {
  /** Libraries beyond the standard one. */
  readonly libraries?: readonly Library[];
  /** The variables an expression may use, and their types. */
  readonly variables?: Readonly<Record<string, CelType>>;
  /** Names are also looked up under this prefix, as in a package. */
  readonly container?: string;
  /** Lets the elements of one literal have several types. Kubernetes forbids it, and so does the default. */
  readonly mixedLiterals?: boolean;
}

/** Compiles expressions that share libraries and variables. */
export interface Environment {
  /**
   * Parses and checks an expression.
   *
   * @throws CelCompileError with every problem found; also when the result cannot be of `resultType`.
   */
  compile(source: string, options?: { readonly resultType?: CelType }): Program;
}

/** How large values can be: for a path from a variable (see `CostNode`), the bounds; `undefined` when not known. */
export type SizeEstimator = (path: readonly string[], type: CelType) => Range | undefined;

/** A compiled expression. */
export interface Program {
  readonly source: string;
  readonly resultType: CelType;
  /** The variables of the environment that the expression refers to. */
  readonly variables: ReadonlySet<string>;
  /** Whether the expression refers to a variable. */
  usesVariable(name: string): boolean;
  /**
   * Evaluates the expression.
   *
   * @throws CelEvaluationError when the result is an error, or when the cost passes `costLimit`.
   */
  evaluate(bindings: Readonly<Record<string, CelValue>>, options?: { readonly costLimit?: number }): CelValue;
  /** Evaluates the expression and says what it cost. */
  evaluateWithCost(
    bindings: Readonly<Record<string, CelValue>>,
    options?: { readonly costLimit?: number },
  ): { readonly value: CelValue; readonly cost: number };
  /** Bounds of the cost of any evaluation, given how large the variables can be. */
  estimateCost(sizes?: SizeEstimator): Range;
}
