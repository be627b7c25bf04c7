import { formatTime, isRecord, type JsonRecord } from "@homeostat/core";
import { listAt, textAt, valueAt } from "../../../values/fields.ts";

/** A condition without its times. */
export interface NewCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

/** Returns the pod with the condition set. The transition time changes only when the status of the condition changes. */
export function withPodCondition(pod: JsonRecord, condition: NewCondition, nowMs: number): JsonRecord {
  const status = isRecord(pod["status"]) ? pod["status"] : {};
  const conditions = [...listAt(status, "conditions")];
  const index = conditions.findIndex((each) => textAt(each, "type") === condition.type);
  const old = conditions[index];
  const isSame = textAt(old, "status") === condition.status;
  const { type, status: value, ...texts } = condition;
  const made = {
    type,
    status: value,
    lastProbeTime: null,
    lastTransitionTime: isSame ? valueAt(old, "lastTransitionTime") : formatTime(nowMs),
    ...texts,
  };
  if (index === -1) conditions.push(made);
  else conditions[index] = made;
  return { ...pod, status: { ...status, conditions } };
}
