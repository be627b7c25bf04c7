import { CelCompileError, CelEvaluationError, type Environment, formatType, type Program } from "@homeostat/cel";
import { once } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import { joinedComplaints } from "../forbid.ts";
import { admissionEnvironment, bindingsOf, conditionType, type EvaluationSubject } from "./environment.ts";

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
const programsMax = 1000;

/** Evaluates the `matchConditions` of webhooks. */
export class Conditions {
  readonly #authorizer: Authorizer;
  readonly #environment: () => Environment = once(() =>
    admissionEnvironment({ hasParams: false, hasAuthorizer: true }),
  );
  readonly #programs = new Map<string, Program | string>();

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
      const program = this.#program(expression);
      if (typeof program === "string") {
        errors.push(program);
        continue;
      }
      try {
        const { value, cost } = program.evaluateWithCost(bindings, { costLimit: budget });
        budget -= cost;
        if (value === false) return { isMatch: false };
      } catch (error) {
        if (!(error instanceof CelEvaluationError)) throw error;
        budget -= error.cost;
        errors.push(`expression '${expression}' resulted in error: ${error.message}`);
      }
    }
    if (errors.length === 0) return { isMatch: true };
    return isErrorIgnored ? { isMatch: false } : { isMatch: false, error: joinedComplaints(errors) };
  }

  /** The compiled expression, or what is wrong with it. */
  #program(expression: string): Program | string {
    const known = this.#programs.get(expression);
    if (known !== undefined) return known;
    const made = compiled(this.#environment(), expression);
    if (this.#programs.size >= programsMax) this.#programs.clear();
    this.#programs.set(expression, made);
    return made;
  }
}

function compiled(environment: Environment, expression: string): Program | string {
  try {
    const program = environment.compile(expression);
    if (program.resultType === conditionType) return program;
    const types = `must evaluate to ${formatType(conditionType)} but got ${formatType(program.resultType)}`;
    return `compilation error: ${types}`;
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    return `compilation error: compilation failed: ${error.message}`;
  }
}
