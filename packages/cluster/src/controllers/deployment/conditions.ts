import { type DeepReadonly, formatTime } from "@homeostat/core";
import type { DeploymentCondition } from "@homeostat/kubernetes/apps/v1";

/** Conditions of a Deployment in the order in which they were last changed. */
export type Conditions = readonly DeepReadonly<DeploymentCondition>[];

/** What a condition is to say. */
export interface ConditionText {
  readonly type: "Available" | "Progressing" | "ReplicaFailure";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** The condition of a type. */
export function findIn(
  conditions: Conditions | undefined,
  wanted: string,
): DeepReadonly<DeploymentCondition> | undefined {
  return conditions?.find(({ type }) => type === wanted);
}

/** A condition as of now. */
export function conditionAt(text: ConditionText, now: number): DeploymentCondition {
  const time = formatTime(now);
  return { ...text, lastUpdateTime: time, lastTransitionTime: time };
}

/**
 * The conditions with one of them set. One with the same status and reason stays as it is, its message included; otherwise
 * the new one goes to the end, and keeps the time of the transition when the status is the same.
 */
export function withCondition(conditions: Conditions, condition: DeepReadonly<DeploymentCondition>): Conditions {
  const before = findIn(conditions, condition.type);
  if (before?.status === condition.status && before.reason === condition.reason) return conditions;
  const { lastTransitionTime } = before?.status === condition.status ? before : condition;
  const after = { ...condition, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) };
  return [...withoutCondition(conditions, condition.type), after];
}

/** The conditions without those of a type. */
export function withoutCondition(conditions: Conditions, unwanted: string): Conditions {
  return conditions.filter(({ type }) => type !== unwanted);
}
