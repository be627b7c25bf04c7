/** A JSON object of unknown content. Read its properties only after `Object.hasOwn`. */
export type JsonRecord = { readonly [key: string]: unknown };

/** Whether a value is a JSON object: not null, not a list, not a scalar. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether an object has a property of its own. One that is `undefined` is absent, as it would be in JSON text. */
export function hasKey(record: JsonRecord, key: string): boolean {
  return Object.hasOwn(record, key) && record[key] !== undefined;
}

/** Sets a property on an object under construction, also one named `__proto__`. */
export function setOwn(target: { [key: string]: unknown }, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else target[key] = value;
}
