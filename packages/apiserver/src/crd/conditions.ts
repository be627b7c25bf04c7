import { formatTime, isRecord, type JsonRecord } from "@homeostat/core";
import { fieldOf, listOf, recordOf, textOf } from "./read.ts";

/** A condition as a controller of definitions finds it. */
export interface FoundCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** The definition with a condition in its status; the time changes only when the status of the condition does. */
export function withCondition(object: JsonRecord, found: FoundCondition, nowMs: number): JsonRecord {
  const status = recordOf(object, "status");
  const conditions = listOf(status, "conditions");
  const old = conditions.find((each) => textOf(each, "type") === found.type);
  const time = textOf(old, "lastTransitionTime");
  const isKept = old !== undefined && textOf(old, "status") === found.status && time !== "";
  const made = {
    ...(isRecord(old) ? old : {}),
    type: found.type,
    status: found.status,
    lastTransitionTime: isKept ? time : formatTime(nowMs),
    reason: found.reason,
    message: found.message,
  };
  const next = old === undefined ? [...conditions, made] : conditions.map((each) => (each === old ? made : each));
  return { ...object, status: { ...status, conditions: next } };
}

/** A condition of a definition, or undefined. */
export function conditionOf(object: JsonRecord, type: string): unknown {
  return listOf(recordOf(object, "status"), "conditions").find((each) => textOf(each, "type") === type);
}

/** Whether a definition has a condition that holds. */
export function holds(object: JsonRecord, type: string): boolean {
  return textOf(conditionOf(object, type), "status") === "True";
}

/** Whether a definition says of a condition just what was found. */
export function says(object: JsonRecord, { type, status, reason, message }: FoundCondition): boolean {
  const old = conditionOf(object, type);
  return fieldOf(old, "status") === status && textOf(old, "reason") === reason && textOf(old, "message") === message;
}
