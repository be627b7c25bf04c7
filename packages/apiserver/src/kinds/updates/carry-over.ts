import { deepClone, type JsonRecord } from "@homeostat/core";

/** Copies a field of the old object, in place; deletes it when the old object has none. */
export function carryOver(object: JsonRecord, old: JsonRecord, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = deepClone(old[field]);
}
