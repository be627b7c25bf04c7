import type { CelResult } from "../values/value.ts";

/** A JSON object: anything that is an object and neither null nor an array. */
export type JsonObjectData = Readonly<Record<string, unknown>>;

/** Reads a value with the shape of its place. Passed in, because lists and maps hold values of their own. */
export type ReadJson<Shape> = (json: unknown, shape: Shape) => CelResult;

/** Whether the value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObjectData {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a number is whole and within 64 bits, so that the API server reads it as an integer. */
export function isIntegerNumber(value: unknown): value is number | bigint {
  if (typeof value === "bigint") return value >= -(2n ** 63n) && value < 2n ** 63n;
  return typeof value === "number" && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** The value of an own property; `undefined` when there is none, also for names such as `toString`. */
export function ownProperty(object: JsonObjectData, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
