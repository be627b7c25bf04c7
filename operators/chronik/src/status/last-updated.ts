import type { ConditionValue, StatusPlan } from "homeostat";
import { findCondition, formatTime, isEqual } from "@homeostat/core";
import type { ChronikCluster } from "../api/chronik-cluster.ts";
import type { Conditions, Fields, StatusInput } from "./status-input.ts";

/** Fields that do not count as content: a status that differs only in them is not written. */
export type Times = Pick<StatusInput, "now" | "previous" | "generation">;

/** Adds the time of the last change; without a change of the content, the former time. */
export function withLastUpdated(
  { fields, conditions }: { readonly fields: Fields; readonly conditions: Conditions },
  { now, previous, generation }: Times,
): StatusPlan<ChronikCluster> {
  const isSameField = ([name, value]: readonly [string, unknown]): boolean => {
    const before: Readonly<Record<string, unknown>> = { ...previous };
    return isEqual(JSON.parse(JSON.stringify([value ?? null])), JSON.parse(JSON.stringify([before[name] ?? null])));
  };
  const isSameCondition = ([type, value]: readonly [string, ConditionValue | undefined]): boolean => {
    const before = findCondition(previous.conditions ?? [], type);
    if (value === undefined || before === undefined) return value === before;
    const status = typeof value.status === "boolean" ? (value.status ? "True" : "False") : value.status;
    return (
      before.status === status &&
      before.reason === value.reason &&
      before.message === (value.message ?? "") &&
      before.observedGeneration === generation
    );
  };
  const isSame = Object.entries(fields).every(isSameField) && Object.entries(conditions).every(isSameCondition);
  const lastUpdated = isSame ? previous.lastUpdated : formatTime(now);
  return { fields: { ...fields, ...(lastUpdated !== undefined && { lastUpdated }) }, conditions };
}
