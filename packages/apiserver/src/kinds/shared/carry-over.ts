import { deepClone, type JsonRecord } from "@homeostat/core";

export function carryOver(object: JsonRecord, old: JsonRecord, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = deepClone(old[field]);
}
