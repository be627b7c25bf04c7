/** A map with text keys, as JSON objects are. Read it by own property only: its keys may come from anybody. */
export type JsonRecord = Record<string, unknown>;

/** Whether a value is an object with keys: not `null`, not an array, not a function. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is an array. Unlike `Array.isArray` its elements are `unknown`, not `any`. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/**
 * Whether an object is a plain one: `{}`, `Object.create(null)`, or what `JSON.parse` makes, of this realm or another.
 *
 * Instances of classes (a `Date`, a `Map`) are not: their own keys do not tell what they hold.
 */
export function isPlainRecord(value: object): value is JsonRecord {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The own property `key` of a map, or `undefined`: nothing is ever found on a prototype. */
export function ownValue(record: Readonly<JsonRecord>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * Stores a property under any key, `__proto__` included, as ordinary data.
 *
 * Plain assignment to `__proto__` would replace the prototype of the map instead.
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
 * Returns an object without its undefined properties, where absent and undefined are not the same: in JSON, and in types with
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
 * than its default stays as it is: a schema rejects it with a better message.
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
