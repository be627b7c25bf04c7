import type { Environment } from "@homeostat/cel";
import { once } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import { joinedComplaints } from "../forbid.ts";
import { admissionEnvironment, bindingsOf, conditionType, type EvaluationSubject } from "./environment.ts";
import { compileExpression, type Expression } from "./expressions.ts";

/** A condition under a name. */
interface Condition {
  readonly name: string;
  readonly expression: string;
}

/** Whether all conditions are true; `error` says why nobody can tell. */
export interface ConditionVerdict {
  readonly isMatch: boolean;
  readonly error?: string;
}

/** The most that the conditions of one webhook may cost together. */
const costBudget = 2_500_000;
const expressionsMax = 1000;
const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

/** Evaluates the `matchConditions` of webhooks. */
export class Conditions {
  readonly #authorizer: Authorizer;
  readonly #environment: () => Environment = once(() =>
    admissionEnvironment({ hasParams: false, hasAuthorizer: true }),
  );
  readonly #expressions = new Map<string, Expression>();

  constructor({ authorizer }: { readonly authorizer: Authorizer }) {
    this.#authorizer = authorizer;
  }

  /** Whether a request meets all conditions. One that is false counts more than any that fail. */
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
    return isErrorIgnored ? { isMatch: false } : { isMatch: false, error: joinedComplaints(errors) };
  }

  #expression(source: string): Expression {
    const known = this.#expressions.get(source);
    if (known !== undefined) return known;
    const made = compileExpression(this.#environment(), source, [conditionType]);
    if (this.#expressions.size >= expressionsMax) this.#expressions.clear();
    this.#expressions.set(source, made);
    return made;
  }
}
