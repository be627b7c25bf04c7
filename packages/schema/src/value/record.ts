import type { JsonRecord } from "@homeostat/core";

/** Whether an object has a property of its own. One that is `undefined` is absent, as it would be in JSON text. */
export function hasKey(record: Readonly<JsonRecord>, key: string): boolean {
  return Object.hasOwn(record, key) && record[key] !== undefined;
}
