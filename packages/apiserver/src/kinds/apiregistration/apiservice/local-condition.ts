import { formatTime, type JsonRecord } from "@homeostat/core";

/** Returns the `Available` condition of an APIService that this server serves itself. */
export function localCondition(nowMs: number): JsonRecord {
  return {
    type: "Available",
    status: "True",
    lastTransitionTime: formatTime(nowMs),
    reason: "Local",
    message: "Local APIServices are always available",
  };
}
