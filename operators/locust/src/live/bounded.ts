import { type JsonRecord, ownValue } from "@homeostat/core";

// What a master says is not trusted: a number that is none, is negative or out of all proportion counts as not said.

/** The largest value of an `int32` field. */
export const int32Max: number = 2 ** 31 - 1;

const measureMax = 1e15;
const textMax = 1_000;

/** A whole number from 0 to a limit; undefined when there is none. */
export function count(record: JsonRecord, key: string, max: number = Number.MAX_SAFE_INTEGER): number | undefined {
  const value = ownValue(record, key);
  return typeof value === "number" && value >= 0 && value <= max ? Math.trunc(value) : undefined;
}

/** A number that is not negative; undefined when there is none. */
export function measure(record: JsonRecord, key: string): number | undefined {
  const value = ownValue(record, key);
  return typeof value === "number" && value >= 0 && value <= measureMax ? value : undefined;
}

/** The first of several numbers that there is. */
export function firstMeasure(record: JsonRecord, ...keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const value = measure(record, key);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A text, cut to a length that nobody minds; `""` when there is none. */
export function text(record: JsonRecord, key: string): string {
  const value = ownValue(record, key);
  return typeof value === "string" ? value.slice(0, textMax) : "";
}
