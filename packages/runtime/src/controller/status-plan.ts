import type { ConditionReasonOf, ConditionTypeOf, ConditionValue, StatusPlan } from "../writes/status-change.ts";

/**
 * Combines two plans for the same kind. Where both set the same field or condition, the second one wins.
 *
 * With it, a status can be assembled from the decisions of several pure functions and written by one call.
 *
 * @example
 * setStatusPlan(combineStatusPlans(rolloutStatus(observed), podStatus(observed)));
 */
export function combineStatusPlans<T>(first: StatusPlan<T>, second: StatusPlan<T>): StatusPlan<T> {
  return {
    fields: { ...first.fields, ...second.fields },
    conditions: { ...first.conditions, ...second.conditions },
  };
}

/**
 * A table of all condition values of a kind, by condition type and a freely chosen name: a value, or a function that returns one. Declared
 * with `satisfies`, it keeps user-visible texts in one place, and the compiler rejects types and reasons that the kind does not declare.
 *
 * @example
 * const conditions = {
 *   Ready: {
 *     complete: { status: true, reason: "RolloutComplete", message: "All replicas are ready" },
 *     waiting: (ready: number) => ({ status: false, reason: "Waiting", message: `${ready} replicas are ready` }),
 *   },
 * } as const satisfies ConditionTexts<Site>;
 */
export type ConditionTexts<T> = {
  readonly [C in ConditionTypeOf<T>]?: {
    readonly [name: string]:
      | ConditionValue<ConditionReasonOf<T, C>>
      | ((...values: never[]) => ConditionValue<ConditionReasonOf<T, C>>);
  };
};
