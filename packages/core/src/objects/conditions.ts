import { ArgumentError } from "../errors/argument-error.ts";
import { qualifiedNameProblems } from "./qualified-name.ts";
import { formatTime } from "../time/time.ts";
import { cutText } from "../value/text.ts";

/** The status of a condition. */
export type ConditionStatus = "True" | "False" | "Unknown";

/** An entry of `status.conditions`. The fields have the meaning of `meta/v1`. */
export interface Condition {
  type: string;
  status: ConditionStatus;
  /** A machine-readable reason in CamelCase. */
  reason: string;
  /** A message for users. May be empty. */
  message: string;
  /** The time at which `status` last changed. */
  lastTransitionTime: string;
  /** The `metadata.generation` that the condition is based on. */
  observedGeneration?: number;
}

/** The new state of a condition, input of {@link setCondition}. */
export interface ConditionChange {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  /** Truncated to 32,768 characters, the limit of the API server. */
  readonly message?: string;
  readonly observedGeneration?: number | undefined;
}

const reasonLengthMax = 1024;
const messageLengthMax = 32_768;

/**
 * Returns the list with one condition set. An existing condition keeps its position; a new one is appended.
 *
 * `lastTransitionTime` becomes `now` (milliseconds since the epoch) only when `status` changes. If nothing changes, the same list is
 * returned, so comparing references tells whether there is something to write.
 *
 * Throws an `ArgumentError` for a type, status, reason or generation that the API server would reject.
 */
export function setCondition(conditions: Condition[] | undefined, change: ConditionChange, now: number): Condition[];
export function setCondition(
  conditions: readonly Condition[] | undefined,
  change: ConditionChange,
  now: number,
): readonly Condition[];
export function setCondition(
  conditions: readonly Condition[] = [],
  change: ConditionChange,
  now: number,
): readonly Condition[] {
  checkChange(change);
  const { type, status, reason, message = "", observedGeneration } = change;
  const index = conditions.findIndex((condition) => condition.type === type);
  const before = conditions[index];
  const isSameStatus = before !== undefined && before.status === status;
  const after: Condition = {
    type,
    status,
    reason,
    message: cutText(message, messageLengthMax),
    lastTransitionTime: isSameStatus ? before.lastTransitionTime : formatTime(now),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
  if (before === undefined) return [...conditions, after];
  const isSame =
    isSameStatus &&
    before.reason === after.reason &&
    before.message === after.message &&
    before.observedGeneration === after.observedGeneration;
  return isSame ? conditions : conditions.with(index, after);
}

/** Returns the list without the condition of a type, or the same list if it has none. */
export function removeCondition(conditions: Condition[], type: string): Condition[];
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[];
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  const kept = conditions.filter((condition) => condition.type !== type);
  return kept.length === conditions.length ? conditions : kept;
}

/** Returns the condition of a type, undefined if there is none. */
export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Reports whether the condition of a type exists and is `True`. */
export function isConditionTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === "True";
}

function checkChange({ type, status, reason, observedGeneration = 0 }: ConditionChange): void {
  const [typeProblem] = qualifiedNameProblems(type);
  if (typeProblem !== undefined) throw refusal("type", type, typeProblem);
  if (status !== "True" && status !== "False" && status !== "Unknown") {
    throw refusal("status", status, "must be True, False or Unknown");
  }
  if (reason.length > reasonLengthMax || !/^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason)) {
    const rule = "must be CamelCase: begin with a letter, then letters, digits and _ (and , or : inside)";
    throw refusal("reason", cutText(reason, 100), `${rule}, at most ${reasonLengthMax} characters`);
  }
  if (!Number.isSafeInteger(observedGeneration) || observedGeneration < 0) {
    throw refusal("observedGeneration", String(observedGeneration), "must be a non-negative integer");
  }
}

function refusal(field: string, value: string, rule: string): ArgumentError {
  return new ArgumentError({ argument: `condition.${field}`, problem: `is ${JSON.stringify(value)}; it ${rule}.` });
}
