import type { CheckedExpr } from "./checker/checked.ts";
import { estimateCost, type SizeEstimator } from "./cost/estimate.ts";
import type { Range } from "./cost/model.ts";
import { CelCompileError, CelEvaluationError } from "./errors.ts";
import { CelAbort, CelFailure } from "./failure.ts";
import type { Frame, Step } from "./interpreter/frame.ts";
import { plan, PlanProblem } from "./interpreter/planner.ts";
import { nowhere, toIssues } from "./syntax/source.ts";
import type { CelType } from "./types/type.ts";
import type { CelResult, CelValue } from "./values/value.ts";

/** The values of variables by name. A failure is reported when an expression uses the variable. */
export type Bindings = Readonly<Record<string, CelResult>>;

/** How an evaluation is limited. */
export interface EvaluateOptions {
  /** The most an evaluation may cost before it is cancelled; unlimited unless given. */
  readonly costLimit?: number;
}

/** A compiled expression. */
export interface Program {
  readonly source: string;
  readonly resultType: CelType;
  /**
   * The variables of the environment that the expression refers to.
   *
   * A variable of a macro with the same name counts too, as it does for the API server when it looks for `oldSelf`.
   */
  readonly variables: ReadonlySet<string>;
  /** Whether the expression refers to a variable. */
  usesVariable(name: string): boolean;
  /**
   * Evaluates the expression.
   *
   * @throws CelEvaluationError when the result is an error, or when the cost passes `costLimit`.
   */
  evaluate(bindings: Bindings, options?: EvaluateOptions): CelValue;
  /** Evaluates the expression and says what it cost. The error of an evaluation that fails says it as well. */
  evaluateWithCost(bindings: Bindings, options?: EvaluateOptions): { readonly value: CelValue; readonly cost: number };
  /** Bounds of the cost of any evaluation, given how large the variables can be. */
  estimateCost(sizes?: SizeEstimator): Range;
}

/** A checked expression and its plans: one that counts cost, and one that is faster. */
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
      const offset = error instanceof PlanProblem ? error.at.offset : nowhere;
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
    // Comparing data that is nested thousands of levels deep runs out of stack.
    if (error instanceof RangeError) return new CelFailure("internal error: the data is nested too deeply");
    throw error;
  }
}

/** The names of variables in an expression, those of macros included. */
function namesIn(checked: CheckedExpr): string[] {
  const names: string[] = [];
  for (const reference of checked.references()) {
    if (reference.kind === "variable") names.push(reference.name);
  }
  return names;
}
