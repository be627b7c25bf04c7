import type { Bindings } from "@homeostat/cel";
import type { JsonRecord } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import { bindingsOf, type EvaluationSubject } from "../cel/environment.ts";
import type { Evaluated, Expression } from "../cel/expressions.ts";
import { joinedComplaints } from "../forbid.ts";
import type { Policy, Validation } from "./policy.ts";
import { LazyVariables } from "./variables.ts";

/** A no of a policy, and why. */
export interface Denial {
  readonly message: string;
  /** Empty when nothing was decided: an error. */
  readonly reason: string;
}

const budgetMax = 10_000_000;
const conditionBudgetMax = 2_500_000;
const messageBytesMax = 5 * 1024;
/** What is said when nothing is left to spend. */
export const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** What a policy has against a request, with one object of parameters or none. */
export function denialsOf(
  policy: Policy,
  subject: EvaluationSubject,
  { authorizer }: { readonly authorizer: Authorizer },
): Denial[] {
  const refuse = (message: string): Denial[] => (policy.isFailureIgnored ? [] : [{ message, reason: "" }]);
  const matched = meetsConditions(policy, subject, authorizer);
  if (typeof matched === "string") return refuse(matched);
  if (!matched) return [];
  const run = new Run(policy, subject, authorizer, budgetMax);
  const results: Evaluated[] = [];
  for (const { expression } of policy.validations) {
    const evaluated = run.evaluate(expression);
    if (evaluated === undefined) return refuse(outOfBudget);
    results.push(evaluated);
  }
  const denials = policy.validations.flatMap((validation, index) => {
    const evaluated = results[index];
    if (evaluated === undefined) return [];
    if ("error" in evaluated) return refuse(evaluated.error);
    return evaluated.value === true ? [] : [{ message: messageOf(validation, run), reason: validation.reason }];
  });
  const audit = new Run(policy, subject, authorizer, budgetMax);
  const errors = policy.auditAnnotations.flatMap((expression) => {
    const evaluated = audit.evaluate(expression);
    return evaluated !== undefined && "error" in evaluated ? refuse(evaluated.error) : [];
  });
  return [...denials, ...errors];
}

/** Evaluations that share their variables and what they may cost together. */
export class Run {
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

  /** The result; undefined when nothing is left to spend. */
  evaluate(expression: Expression): Evaluated | undefined {
    const evaluated = expression.evaluate(this.#bindings);
    this.#budget -= evaluated.cost + this.#variables.takeCost();
    return this.#budget < 0 ? undefined : evaluated;
  }
}

/** Whether a request meets the conditions of a policy, or why nobody can tell. */
export function meetsConditions(
  policy: Pick<Policy, "conditions" | "variables">,
  subject: EvaluationSubject,
  authorizer: Authorizer,
): boolean | string {
  return meets(policy.conditions, new Run(policy, subject, authorizer, conditionBudgetMax));
}

/** Whether a request meets all conditions, or why nobody can tell. One that is false counts more than any that fail. */
function meets(conditions: readonly Expression[], run: Run): boolean | string {
  const errors: string[] = [];
  for (const condition of conditions) {
    const evaluated = run.evaluate(condition);
    if (evaluated === undefined) return outOfBudget;
    if ("error" in evaluated) errors.push(evaluated.error);
    else if (evaluated.value === false) return false;
  }
  return errors.length === 0 ? true : joinedComplaints(errors);
}

/** What is said: by the expression for it, by the text for it, or by the check itself. */
function messageOf({ expression, message, messageExpression }: Validation, run: Run): string {
  const evaluated = messageExpression === undefined ? undefined : run.evaluate(messageExpression);
  if (evaluated !== undefined && "value" in evaluated && typeof evaluated.value === "string") {
    const text = evaluated.value.trim();
    const isUsable = text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= messageBytesMax;
    if (isUsable) return text;
  }
  const said = message.trim();
  return said === "" ? `failed expression: ${expression.source.trim()}` : said;
}

/** The subject of an evaluation with some parameters. */
export function withParams(subject: EvaluationSubject, params: JsonRecord | undefined): EvaluationSubject {
  return params === undefined ? subject : { ...subject, params };
}
