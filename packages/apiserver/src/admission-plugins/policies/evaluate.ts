import type { Bindings } from "@homeostat/cel";
import type { JsonRecord } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import { bindingsOf, type EvaluationSubject } from "../../admission/cel/environment.ts";
import type { Evaluated, Expression } from "../../admission/cel/expressions.ts";
import { joinMessages } from "../../admission/forbid.ts";
import type { Policy, Validation } from "./policy.ts";
import { LazyVariables } from "../../admission/cel/variables.ts";

/** A refusal by a policy. */
export interface Denial {
  readonly message: string;
  /** Empty for an error, if no expression decided. */
  readonly reason: string;
}

const budgetMax = 10_000_000;
const conditionBudgetMax = 2_500_000;
const messageBytesMax = 5 * 1024;
/** Message if the cost budget is exhausted. */
export const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** Evaluates a policy with one parameter object or none, and returns the refusals. */
export function denialsOf(
  policy: Policy,
  subject: EvaluationSubject,
  { authorizer }: { readonly authorizer: Authorizer },
): Denial[] {
  const refuse = (message: string): Denial[] => (policy.isFailureIgnored ? [] : [{ message, reason: "" }]);
  const matched = meetsConditions(policy, subject, authorizer);
  if (typeof matched === "string") return refuse(matched);
  if (!matched) return [];
  const evaluation = new Evaluation(policy, subject, authorizer, budgetMax);
  const results: Evaluated[] = [];
  for (const { expression } of policy.validations) {
    const evaluated = evaluation.evaluate(expression);
    if (evaluated === undefined) return refuse(outOfBudget);
    results.push(evaluated);
  }
  const denials = policy.validations.flatMap((validation, index) => {
    const evaluated = results[index];
    if (evaluated === undefined) return [];
    if ("error" in evaluated) return refuse(evaluated.error);
    return evaluated.value === true ? [] : [{ message: messageOf(validation, evaluation), reason: validation.reason }];
  });
  const audit = new Evaluation(policy, subject, authorizer, budgetMax);
  const errors = policy.auditAnnotations.flatMap((expression) => {
    const evaluated = audit.evaluate(expression);
    return evaluated !== undefined && "error" in evaluated ? refuse(evaluated.error) : [];
  });
  return [...denials, ...errors];
}

/** Evaluations with shared variables and a shared cost budget. */
export class Evaluation {
  readonly #bindings: Bindings;
  readonly #variables: LazyVariables;
  #budget: number;

  constructor(
    policy: Pick<Policy, "variables">,
    subject: EvaluationSubject,
    authorizer: Authorizer,
    budget: number = budgetMax,
  ) {
    this.#variables = new LazyVariables(policy.variables.expressions);
    this.#bindings = { ...bindingsOf(subject, authorizer), variables: this.#variables };
    this.#variables.bind(this.#bindings);
    this.#budget = budget;
  }

  /** Evaluates an expression. Returns undefined if the budget is exhausted. */
  evaluate(expression: Expression): Evaluated | undefined {
    const evaluated = expression.evaluate(this.#bindings);
    this.#budget -= evaluated.cost + this.#variables.takeCost();
    return this.#budget < 0 ? undefined : evaluated;
  }
}

/** Reports whether a request meets the match conditions of a policy, or returns the error. */
export function meetsConditions(
  policy: Pick<Policy, "conditions" | "variables">,
  subject: EvaluationSubject,
  authorizer: Authorizer,
): boolean | string {
  return meets(policy.conditions, new Evaluation(policy, subject, authorizer, conditionBudgetMax));
}

/** Evaluates conditions. A condition that is false takes precedence over conditions that fail. */
function meets(conditions: readonly Expression[], evaluation: Evaluation): boolean | string {
  const errors: string[] = [];
  for (const condition of conditions) {
    const evaluated = evaluation.evaluate(condition);
    if (evaluated === undefined) return outOfBudget;
    if ("error" in evaluated) errors.push(evaluated.error);
    else if (evaluated.value === false) return false;
  }
  return errors.length === 0 ? true : joinMessages(errors);
}

/**
 * Returns the message of a failed validation: from its messageExpression, its message, or the source of the expression.
 */
function messageOf({ expression, message, messageExpression }: Validation, evaluation: Evaluation): string {
  const evaluated = messageExpression === undefined ? undefined : evaluation.evaluate(messageExpression);
  if (evaluated !== undefined && "value" in evaluated && typeof evaluated.value === "string") {
    const text = evaluated.value.trim();
    const isUsable = text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= messageBytesMax;
    if (isUsable) return text;
  }
  const fixed = message.trim();
  return fixed === "" ? `failed expression: ${expression.source.trim()}` : fixed;
}

/** Returns the subject of an evaluation with parameters. */
export function withParams(subject: EvaluationSubject, params: JsonRecord | undefined): EvaluationSubject {
  return params === undefined ? subject : { ...subject, params };
}
