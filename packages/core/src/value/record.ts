/** A JSON object. Read only own properties, because its keys may come from untrusted input. */
export type JsonRecord = Record<string, unknown>;

/** Reports whether a value is an object: not `null`, not an array, not a function. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports whether a value is an array. Unlike with `Array.isArray`, its elements are `unknown`, not `any`. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/**
 * Reports whether an object is a plain object: `{}`, `Object.create(null)`, or a result of `JSON.parse`, of this realm or another.
 *
 * Instances of classes (`Date`, `Map`) are not: their own keys do not represent their content.
 */
export function isPlainRecord(value: object): value is JsonRecord {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Returns the own property `key` of an object, or undefined. Inherited properties are ignored. */
export function ownValue(record: Readonly<JsonRecord>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * Sets a property with any key, including `__proto__`, as data.
 *
 * Plain assignment to `__proto__` would replace the prototype of the object instead.
 *
 * @example
 * safeSet(labels, "__proto__", "x"); // labels has one own key, "__proto__"
 */
export function safeSet(record: JsonRecord, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    record[key] = value;
  }
}

/**
 * Returns an object without its undefined properties. Use it where absent and undefined differ, as in types with
 * `exactOptionalPropertyTypes`.
 *
 * @example
 * const fields = { phase, ...withoutUndefined({ startTime, completionTime }) };
 */
export function withoutUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> };
export function withoutUndefined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/**
 * Returns a JSON value with missing fields filled in from `defaults`, at any depth. A null counts as missing. A value of another type
 * than its default is kept, because schema validation rejects it with a better message.
 *
 * @example
 * fillDefaults({ server: { image: "a:1" } }, { server: { replicas: 1 } }); // { server: { image: "a:1", replicas: 1 } }
 */
export function fillDefaults(value: unknown, defaults: unknown): unknown {
  if (value === undefined || value === null) return defaults;
  if (!isRecord(value) || !isRecord(defaults)) return value;
  const result: JsonRecord = { ...value };
  for (const [key, field] of Object.entries(defaults)) safeSet(result, key, fillDefaults(ownValue(value, key), field));
  return result;
}
