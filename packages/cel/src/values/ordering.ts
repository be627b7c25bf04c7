import { failure, noSuchOverload, type CelFailure } from "../failure.ts";
import { CelDuration } from "./duration.ts";
import { compareText } from "./text.ts";
import { CelTimestamp } from "./timestamp.ts";
import { CelUint, type CelValue } from "./value.ts";

/** Compares two values of the same ordered type, or two numbers of any type: -1, 0 or 1. */
export function compare(left: CelValue, right: CelValue): -1 | 0 | 1 | CelFailure {
  if (typeof left === "string") return typeof right === "string" ? compareText(left, right) : noSuchOverload();
  if (typeof left === "boolean") {
    return typeof right === "boolean" ? order(Number(left), Number(right)) : noSuchOverload();
  }
  if (left instanceof CelTimestamp && right instanceof CelTimestamp) return order(left.nanos, right.nanos);
  if (left instanceof CelDuration && right instanceof CelDuration) return order(left.nanos, right.nanos);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right);
  return compareNumbers(left, right);
}

/** Reports whether values of this type can be compared with `<`. */
export function isOrdered(value: CelValue): boolean {
  if (typeof value !== "object") return true;
  return (
    value instanceof CelUint ||
    value instanceof CelTimestamp ||
    value instanceof CelDuration ||
    value instanceof Uint8Array
  );
}

function compareNumbers(left: CelValue, right: CelValue): -1 | 0 | 1 | CelFailure {
  if (Number.isNaN(left)) return failure("NaN values cannot be ordered");
  const a = left instanceof CelUint ? left.value : left;
  const b = right instanceof CelUint ? right.value : right;
  if (typeof a === "bigint" && typeof b === "bigint") return order(a, b);
  if ((typeof a !== "bigint" && typeof a !== "number") || (typeof b !== "bigint" && typeof b !== "number")) {
    return noSuchOverload();
  }
  const x = Number(a);
  const y = Number(b);
  return Number.isNaN(x) || Number.isNaN(y) ? failure("NaN values cannot be ordered") : order(x, y);
}

function compareBytes(left: Uint8Array, right: Uint8Array): -1 | 0 | 1 {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const difference = order(left[index] ?? 0, right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return order(left.length, right.length);
}

function order(a: bigint | number, b: bigint | number): -1 | 0 | 1 {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
