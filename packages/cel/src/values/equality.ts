import { CelFailure } from "../failure.ts";
import { CelDuration } from "./duration.ts";
import { CelTimestamp } from "./timestamp.ts";
import { CelList, CelMap, CelOpaque, CelOptional, CelTypeValue, CelUint, type CelValue } from "./value.ts";

/**
 * Reports whether two values of any types are equal: `1`, `1u` and `1.0` are; a string and a number are not.
 *
 * Returns a failure only if an opaque type or JSON data cannot be compared with a value of another type.
 */
export function equals(left: CelValue, right: CelValue): boolean | CelFailure {
  if (left === null || right === null) return left === right;
  if (typeof left === "string" || typeof left === "boolean") return left === right;
  if (typeof left === "bigint" || typeof left === "number") return numbersEqual(left, right);
  if (left instanceof CelUint) return numbersEqual(left.value, right);
  if (left instanceof CelList) return left.customEquals(right) ?? listsEqual(left, right);
  if (left instanceof CelMap) return left.customEquals(right) ?? mapsEqual(left, right);
  if (left instanceof CelOpaque) return left.equals(right);
  if (left instanceof CelOptional) return optionalsEqual(left, right);
  if (left instanceof CelTimestamp) return right instanceof CelTimestamp && left.nanos === right.nanos;
  if (left instanceof CelDuration) return right instanceof CelDuration && left.nanos === right.nanos;
  if (left instanceof CelTypeValue) return right instanceof CelTypeValue && left.name === right.name;
  return right instanceof Uint8Array && bytesEqual(left, right);
}

/** Reports whether a number equals another value. To compare an integer with a double, the integer is rounded to a double. */
function numbersEqual(left: bigint | number, right: CelValue): boolean {
  const other = right instanceof CelUint ? right.value : right;
  if (typeof other === "bigint") return typeof left === "bigint" ? left === other : left === Number(other);
  return typeof other === "number" && Number(left) === other;
}

function bytesEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function optionalsEqual(left: CelOptional, right: CelValue): boolean | CelFailure {
  if (!(right instanceof CelOptional)) return false;
  if (left.value === undefined || right.value === undefined) return left.value === right.value;
  return equals(left.value, right.value);
}

function listsEqual(left: CelList, right: CelValue): boolean {
  if (!(right instanceof CelList) || left.size !== right.size) return false;
  for (let index = 0; index < left.size; index++) {
    const a = left.at(index);
    const b = right.at(index);
    // As in cel-go, elements that cannot be compared do not make lists unequal.
    if (!(a instanceof CelFailure) && !(b instanceof CelFailure) && equals(a, b) === false) return false;
  }
  return true;
}

function mapsEqual(left: CelMap, right: CelValue): boolean {
  if (!(right instanceof CelMap) || left.size !== right.size) return false;
  for (const key of left.keys()) {
    const a = left.find(key);
    const b = right.find(key);
    if (a === undefined || b === undefined) return false;
    if (!(a instanceof CelFailure) && !(b instanceof CelFailure) && equals(a, b) === false) return false;
  }
  return true;
}
