import { type DeepReadonly, formatTime } from "@homeostat/core";
import type { DeploymentCondition } from "@homeostat/kubernetes/apps/v1";

/** Conditions of a Deployment. The last one set is at the end, as `SetDeploymentCondition` appends it. */
export type Conditions = readonly DeepReadonly<DeploymentCondition>[];

/** A condition without its times. */
export interface ConditionText {
  readonly type: "Available" | "Progressing" | "ReplicaFailure";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** Returns the condition of a type; undefined when there is none. */
export function findIn(
  conditions: Conditions | undefined,
  conditionType: string,
): DeepReadonly<DeploymentCondition> | undefined {
  return conditions?.find(({ type }) => type === conditionType);
}

/** Builds a condition whose update and transition times are `now`. */
export function conditionAt(text: ConditionText, now: number): DeploymentCondition {
  const time = formatTime(now);
  return { ...text, lastUpdateTime: time, lastTransitionTime: time };
}

/**
 * Returns the conditions with one of them set, by the rules of `SetDeploymentCondition`
 * (pkg/controller/deployment/util): a condition with the same status and reason is left untouched, including its
 * message; otherwise the new one is appended, and keeps `lastTransitionTime` when the status is the same.
 */
export function withCondition(conditions: Conditions, condition: DeepReadonly<DeploymentCondition>): Conditions {
  const before = findIn(conditions, condition.type);
  if (before?.status === condition.status && before.reason === condition.reason) return conditions;
  const { lastTransitionTime } = before?.status === condition.status ? before : condition;
  const after = { ...condition, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) };
  return [...withoutCondition(conditions, condition.type), after];
}

/** Returns the conditions without those of a type. */
export function withoutCondition(conditions: Conditions, unwanted: string): Conditions {
  return conditions.filter(({ type }) => type !== unwanted);
}
