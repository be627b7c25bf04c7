import { formatTime, isEqual, isList, isRecord, type JsonRecord } from "@homeostat/core";
import { listAt, textAt } from "../../../values/fields.ts";
import { carryOver } from "../../updates/carry-over.ts";
import { partOf } from "../../defaulting/fill.ts";

/** Keeps, in place, everything of the status but the conditions, which the subresource `approval` writes. */
export function prepareApproval(object: JsonRecord, old: JsonRecord, { nowMs }: { readonly nowMs: number }): void {
  setConditionTimes(object, old, nowMs);
  const conditions = partOf(object, "status")["conditions"];
  carryOver(object, old, "status");
  const status = partOf(object, "status");
  if (conditions === undefined) delete status["conditions"];
  else status["conditions"] = conditions;
}

/**
 * Restores, in place, the stored `Approved` and `Denied` conditions in a write of the subresource `status`.
 *
 * A write that adds or removes one of them is not changed here, so that validation rejects it.
 */
export function prepareSigningStatus(object: JsonRecord, old: JsonRecord, { nowMs }: { readonly nowMs: number }): void {
  const conditions = listAt(object, "status", "conditions");
  const stored = listAt(old, "status", "conditions");
  const isOf = (type: string) => (condition: unknown) => textAt(condition, "type") === type;
  for (const type of ["Approved", "Denied"]) {
    const kept = stored.filter(isOf(type));
    if (conditions.filter(isOf(type)).length !== kept.length) continue;
    const next = kept.values();
    const restored: unknown[] = listAt(object, "status", "conditions").map((each) =>
      isOf(type)(each) ? next.next().value : each,
    );
    if (!isEqual(restored, listAt(object, "status", "conditions"))) partOf(object, "status")["conditions"] = restored;
  }
  setConditionTimes(object, old, nowMs);
}

/** Sets the times that conditions lack. A condition with unchanged status keeps its transition time. */
function setConditionTimes(object: JsonRecord, old: JsonRecord, nowMs: number): void {
  const status = partOf(object, "status");
  if (!isList(status["conditions"])) return;
  const now = formatTime(nowMs);
  const stored = listAt(old, "status", "conditions");
  status["conditions"] = status["conditions"].map((condition) => {
    if (!isRecord(condition)) return condition;
    const same = stored.find(
      (each) =>
        textAt(each, "type") === textAt(condition, "type") &&
        textAt(each, "status") === textAt(condition, "status") &&
        textAt(each, "lastTransitionTime") !== "",
    );
    const lastTransitionTime = textAt(condition, "lastTransitionTime") || textAt(same, "lastTransitionTime") || now;
    return { ...condition, lastUpdateTime: textAt(condition, "lastUpdateTime") || now, lastTransitionTime };
  });
}
