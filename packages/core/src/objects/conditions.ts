import { ArgumentError } from "../errors/argument-error.ts";
import { qualifiedNameProblems } from "../selectors/qualified-name.ts";
import { formatTime } from "../time/time.ts";
import { cutText } from "../value/text.ts";

/** Whether something is so; `Unknown` when it cannot be said. */
export type ConditionStatus = "True" | "False" | "Unknown";

/** One aspect of an object's state, as `status.conditions` lists them. Field meanings are those of `meta/v1`. */
export interface Condition {
  type: string;
  status: ConditionStatus;
  /** Why, for programs, in CamelCase. */
  reason: string;
  /** Why, for people. May be empty. */
  message: string;
  /** When `status` last became what it is. */
  lastTransitionTime: string;
  /** The generation of the spec that this is about. */
  observedGeneration?: number;
}

/** What is now to be said about one aspect. */
export interface ConditionChange {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  /** Cut when it is longer than the API server takes (32,768 characters). */
  readonly message?: string;
  readonly observedGeneration?: number | undefined;
}

const reasonLengthMax = 1024;
const messageLengthMax = 32_768;

/**
 * The list with one condition set: in its place if it is there, at the end if it is new.
 *
 * `lastTransitionTime` moves to `now` (milliseconds since 1970) only when `status` changes. The list itself is
 * returned when nothing changes, so comparing references tells whether there is something to write.
 *
 * Throws an `ArgumentError` for a type, status, reason or generation that the API server would refuse.
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

/** The list without the condition of a type; the list itself when it has none. */
export function removeCondition(conditions: Condition[], type: string): Condition[];
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[];
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  const kept = conditions.filter((condition) => condition.type !== type);
  return kept.length === conditions.length ? conditions : kept;
}

/** The condition of a type, if the list has it. */
export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition of a type is there and `True`. */
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
    throw refusal("observedGeneration", String(observedGeneration), "must be a whole number, 0 or more");
  }
}

function refusal(field: string, value: string, rule: string): ArgumentError {
  return new ArgumentError({ argument: `condition.${field}`, problem: `is ${JSON.stringify(value)}; it ${rule}.` });
}
