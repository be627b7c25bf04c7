import type { CelResult } from "../values/value.ts";

/** A JSON object: anything that is an object and neither null nor an array. */
export type JsonObjectData = Readonly<Record<string, unknown>>;

/** Converts JSON by a shape. Passed to lists and maps as a parameter to avoid an import cycle. */
export type ReadJson<Shape> = (json: unknown, shape: Shape) => CelResult;

/** Reports whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObjectData {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports whether a number is an integer within 64 bits, which the API server decodes as int64. */
export function isIntegerNumber(value: unknown): value is number | bigint {
  if (typeof value === "bigint") return value >= -(2n ** 63n) && value < 2n ** 63n;
  return typeof value === "number" && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** Returns the value of an own property; undefined if there is none, also for inherited names such as `toString`. */
export function ownProperty(object: JsonObjectData, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
