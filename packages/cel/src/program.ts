import type { CheckedExpr } from "./checker/checked.ts";
import { estimateCost, type SizeEstimator } from "./cost/estimate.ts";
import type { Range } from "./types/cost-node.ts";
import { CelCompileError, CelEvaluationError } from "./errors.ts";
import { CelAbort, CelFailure } from "./failure.ts";
import type { Frame, Step } from "./interpreter/frame.ts";
import { plan, PlanProblem } from "./interpreter/planner.ts";
import { wholeSource, toIssues } from "./syntax/source.ts";
import type { CelType } from "./types/type.ts";
import type { CelResult, CelValue } from "./values/value.ts";

/** Values of variables by name. A failure becomes the result of an expression that uses the variable. */
export type Bindings = Readonly<Record<string, CelResult>>;

/** Options of an evaluation. */
export interface EvaluateOptions {
  /** Maximum cost after which the evaluation is cancelled. Default unlimited. */
  readonly costLimit?: number;
}

/** A compiled expression. */
export interface Program {
  readonly source: string;
  readonly resultType: CelType;
  /**
   * Variables of the environment that the expression refers to.
   *
   * Includes a variable of a macro with the same name, as in the API server when it determines whether a rule uses `oldSelf`.
   */
  readonly variables: ReadonlySet<string>;
  /** Reports whether the expression refers to a variable. */
  usesVariable(name: string): boolean;
  /**
   * Evaluates the expression.
   *
   * @throws CelEvaluationError if the result is an error or the cost exceeds `costLimit`.
   */
  evaluate(bindings: Bindings, options?: EvaluateOptions): CelValue;
  /** Evaluates the expression and returns its cost. If the evaluation fails, the error has the cost. */
  evaluateWithCost(bindings: Bindings, options?: EvaluateOptions): { readonly value: CelValue; readonly cost: number };
  /** Returns bounds of the cost of any evaluation, given the sizes that variables can have. */
  estimateCost(sizes?: SizeEstimator): Range;
}

/** A checked expression with two plans: a fast one, and one that tracks the cost, which is created on first use. */
export class CompiledProgram implements Program {
  readonly source: string;
  readonly resultType: CelType;
  readonly variables: ReadonlySet<string>;
  readonly #checked: CheckedExpr;
  readonly #step: Step;
  #trackedStep: Step | undefined;

  constructor(source: string, checked: CheckedExpr, declared: ReadonlyMap<string, CelType>) {
    this.source = source;
    this.resultType = checked.typeOf(checked.expr);
    this.variables = new Set(namesIn(checked).filter((name) => declared.has(name)));
    this.#checked = checked;
    this.#step = this.#planned(false);
  }

  usesVariable(name: string): boolean {
    return this.variables.has(name);
  }

  evaluate(bindings: Bindings, options: EvaluateOptions = {}): CelValue {
    if (options.costLimit !== undefined) return this.evaluateWithCost(bindings, options).value;
    return run(this.#step, bindings, Infinity).value;
  }

  evaluateWithCost(bindings: Bindings, options: EvaluateOptions = {}): { value: CelValue; cost: number } {
    this.#trackedStep ??= this.#planned(true);
    return run(this.#trackedStep, bindings, options.costLimit ?? Infinity);
  }

  estimateCost(sizes: SizeEstimator = () => undefined): Range {
    return estimateCost(this.#checked, sizes);
  }

  #planned(tracked: boolean): Step {
    try {
      return plan(this.#checked, tracked);
    } catch (error) {
      if (!(error instanceof PlanProblem) && !(error instanceof CelAbort)) throw error;
      const offset = error instanceof PlanProblem ? error.at.offset : wholeSource;
      const issues = toIssues(this.source, [{ offset, message: error.message }]);
      throw new CelCompileError({ source: this.source, issues, stage: "instantiation" });
    }
  }
}

function run(step: Step, bindings: Bindings, costLimit: number): { value: CelValue; cost: number } {
  const frame: Frame = { bindings, slots: [], costLimit, cost: 0 };
  const value = evaluated(step, frame);
  if (value instanceof CelFailure) throw new CelEvaluationError(value.message, { cost: frame.cost });
  return { value, cost: frame.cost };
}

function evaluated(step: Step, frame: Frame): CelResult {
  try {
    return step(frame);
  } catch (error) {
    if (error instanceof CelAbort) return new CelFailure(error.message);
    // Comparing data that is nested thousands of levels deep overflows the stack.
    if (error instanceof RangeError) return new CelFailure("internal error: the data is nested too deeply");
    throw error;
  }
}

/** Returns the names of variables in an expression, including those of macros. */
function namesIn(checked: CheckedExpr): string[] {
  const names: string[] = [];
  for (const reference of checked.references()) {
    if (reference.kind === "variable") names.push(reference.name);
  }
  return names;
}
