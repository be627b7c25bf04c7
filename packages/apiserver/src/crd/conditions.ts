import { formatTime, isRecord, type JsonRecord } from "@homeostat/core";
import { fieldOf, listOf, recordOf, textOf } from "../values/properties.ts";

/** A condition as determined by one of the CRD controllers, without its time. */
export interface FoundCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** Returns the definition with a condition set. The transition time changes only with the status of the condition. */
export function withCondition(object: JsonRecord, found: FoundCondition, nowMs: number): JsonRecord {
  const status = recordOf(object, "status");
  const conditions = listOf(status, "conditions");
  const old = conditions.find((each) => textOf(each, "type") === found.type);
  const time = textOf(old, "lastTransitionTime");
  const isSameStatus = old !== undefined && textOf(old, "status") === found.status && time !== "";
  const updated = {
    ...(isRecord(old) ? old : {}),
    type: found.type,
    status: found.status,
    lastTransitionTime: isSameStatus ? time : formatTime(nowMs),
    reason: found.reason,
    message: found.message,
  };
  const next = old === undefined ? [...conditions, updated] : conditions.map((each) => (each === old ? updated : each));
  return { ...object, status: { ...status, conditions: next } };
}

/** Returns a condition of a definition, or undefined. */
export function conditionOf(object: JsonRecord, type: string): unknown {
  return listOf(recordOf(object, "status"), "conditions").find((each) => textOf(each, "type") === type);
}

/** Reports whether a condition of a definition is True. */
export function isTrue(object: JsonRecord, type: string): boolean {
  return textOf(conditionOf(object, type), "status") === "True";
}

/** Reports whether a definition already has exactly this condition. */
export function hasCondition(object: JsonRecord, { type, status, reason, message }: FoundCondition): boolean {
  const old = conditionOf(object, type);
  return fieldOf(old, "status") === status && textOf(old, "reason") === reason && textOf(old, "message") === message;
}
