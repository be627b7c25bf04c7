import type { JsonRecord } from "@homeostat/core";

/** Reports whether an object has an own property. A property with the value `undefined` counts as missing, as in JSON text. */
export function hasKey(record: Readonly<JsonRecord>, key: string): boolean {
  return Object.hasOwn(record, key) && record[key] !== undefined;
}
