import { CelFailure, failure, noSuchOverload } from "../failure.ts";
import { defineOverload, type FunctionDeclaration } from "../library.ts";
import { doubleType, durationType, intType, listType, uintType } from "../types/type.ts";
import { CelDuration } from "../values/duration.ts";
import { isInt64, isUint64 } from "../values/int64.ts";
import { CelUint, type CelList, type CelResult } from "../values/value.ts";
import { passingCost } from "./call-costs.ts";

/** `sum`: the sum of the elements of a list, which must have one type. An overflow is a failure. */
export const sumFunction = (): FunctionDeclaration => ({
  name: "sum",
  overloads: [
    defineOverload({
      id: "list_int_sum_int",
      member: true,
      params: [listType(intType)],
      result: intType,
      implement: (list) => fold<bigint>(list, 0n, isInt, (sum, next) => within(sum + next)),
    }),
    defineOverload({
      id: "list_uint_sum_uint",
      member: true,
      params: [listType(uintType)],
      result: uintType,
      implement: (list) => fold(list, new CelUint(0n), isUint, addUints),
    }),
    defineOverload({
      id: "list_double_sum_double",
      member: true,
      params: [listType(doubleType)],
      result: doubleType,
      implement: (list) => fold<number>(list, 0, isDouble, (sum, next) => sum + next),
    }),
    defineOverload({
      id: "list_duration_sum_duration",
      member: true,
      params: [listType(durationType)],
      result: durationType,
      implement: (list) => fold(list, new CelDuration(0n), isDuration, addDurations),
    }),
  ],
  cost: passingCost,
});

function fold<T extends CelResult>(
  list: CelList,
  zero: T,
  isSummand: (value: CelResult) => value is T,
  add: (sum: T, next: T) => T | CelFailure,
): T | CelFailure {
  let sum = zero;
  for (let index = 0; index < list.size; index++) {
    const element = list.at(index);
    if (!isSummand(element)) return element instanceof CelFailure ? element : noSuchOverload();
    const next = add(sum, element);
    if (next instanceof CelFailure) return next;
    sum = next;
  }
  return sum;
}

function within(sum: bigint): bigint | CelFailure {
  return isInt64(sum) ? sum : failure("integer overflow");
}

function addUints(sum: CelUint, next: CelUint): CelUint | CelFailure {
  const value = sum.value + next.value;
  return isUint64(value) ? new CelUint(value) : failure("unsigned integer overflow");
}

function addDurations(sum: CelDuration, next: CelDuration): CelDuration | CelFailure {
  const nanos = within(sum.nanos + next.nanos);
  return nanos instanceof CelFailure ? nanos : new CelDuration(nanos);
}

function isInt(value: CelResult): value is bigint {
  return typeof value === "bigint";
}

function isDouble(value: CelResult): value is number {
  return typeof value === "number";
}

function isUint(value: CelResult): value is CelUint {
  return value instanceof CelUint;
}

function isDuration(value: CelResult): value is CelDuration {
  return value instanceof CelDuration;
}
