import type { Environment } from "@homeostat/cel";
import { once } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import { joinMessages } from "../forbid.ts";
import { admissionEnvironment, bindingsOf, conditionType, type EvaluationSubject } from "./environment.ts";
import { compileExpression, type Expression } from "./expressions.ts";

/** A `matchCondition` of a webhook. */
interface Condition {
  readonly name: string;
  readonly expression: string;
}

/** True if all conditions are true. `error` is set if the result could not be determined. */
export interface ConditionVerdict {
  readonly isMatch: boolean;
  readonly error?: string;
}

/** Cost that the conditions of one webhook may have together. */
const costBudget = 2_500_000;
const expressionsMax = 1000;
const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

/** Evaluates the `matchConditions` of webhooks. Compiled expressions are cached by source. */
export class Conditions {
  readonly #authorizer: Authorizer;
  readonly #environment: () => Environment = once(() =>
    admissionEnvironment({ hasParams: false, hasAuthorizer: true }),
  );
  readonly #expressions = new Map<string, Expression>();

  constructor({ authorizer }: { readonly authorizer: Authorizer }) {
    this.#authorizer = authorizer;
  }

  /**
   * Evaluates all conditions for a request. A condition that is false takes precedence over conditions that fail: the
   * webhook is then not called, whatever its failure policy.
   */
  match(
    conditions: readonly Condition[],
    { isErrorIgnored, ...subject }: EvaluationSubject & { readonly isErrorIgnored: boolean },
  ): ConditionVerdict {
    const bindings = bindingsOf(subject, this.#authorizer);
    const errors: string[] = [];
    let budget = costBudget;
    for (const { expression } of conditions) {
      const evaluated = this.#expression(expression).evaluate(bindings);
      budget -= evaluated.cost;
      if (budget < 0) return isErrorIgnored ? { isMatch: false } : { isMatch: false, error: outOfBudget };
      if ("error" in evaluated) errors.push(evaluated.error);
      else if (evaluated.value === false) return { isMatch: false };
    }
    if (errors.length === 0) return { isMatch: true };
    return isErrorIgnored ? { isMatch: false } : { isMatch: false, error: joinMessages(errors) };
  }

  #expression(source: string): Expression {
    const cached = this.#expressions.get(source);
    if (cached !== undefined) return cached;
    const compiled = compileExpression(this.#environment(), source, [conditionType]);
    if (this.#expressions.size >= expressionsMax) this.#expressions.clear();
    this.#expressions.set(source, compiled);
    return compiled;
  }
}
