import { failure, noSuchOverload, type CelFailure } from "../failure.ts";
import { defineOverload, type FunctionDeclaration, type Overload } from "../library.ts";
import {
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
} from "../types/type.ts";
import { operatorMismatch } from "./mismatch.ts";
import { concat } from "../values/collections.ts";
import { CelDuration } from "../values/duration.ts";
import { isInt64, isUint64 } from "../values/int64.ts";
import { CelTimestamp, timestampNanosMax, timestampNanosMin } from "../values/timestamp.ts";
import { CelList, CelUint, type CelResult, type CelValue } from "../values/value.ts";

const listOfA = listType(typeParameter("A"));

/** `+`, `-`, `*`, `/`, `%` and negation. They return a failure if the result overflows its type. */
export const arithmeticFunctions = (): readonly FunctionDeclaration[] => [
  {
    name: "_+_",
    overloads: [
      defineOverload({ id: "add_bytes", params: [bytesType, bytesType], result: bytesType, implement: joinBytes }),
      doubles("add_double", (x, y) => x + y),
      durations("add_duration_duration", (x, y) => x + y),
      defineOverload({
        id: "add_duration_timestamp",
        params: [durationType, timestampType],
        result: timestampType,
        implement: (duration, timestamp) => shift(timestamp, duration.nanos),
      }),
      defineOverload({
        id: "add_timestamp_duration",
        params: [timestampType, durationType],
        result: timestampType,
        implement: (timestamp, duration) => shift(timestamp, duration.nanos),
      }),
      ints("add_int64", (x, y) => x + y),
      { id: "add_list", params: [listOfA, listOfA], result: listOfA, implement: addLists },
      defineOverload({
        id: "add_string",
        params: [stringType, stringType],
        result: stringType,
        implement: (x, y) => x + y,
      }),
      uints("add_uint64", (x, y) => x + y),
    ],
    otherwise: (left) => operatorMismatch("_+_", left, isAddable),
  },
  {
    name: "_-_",
    overloads: [
      doubles("subtract_double", (x, y) => x - y),
      durations("subtract_duration_duration", (x, y) => x - y),
      ints("subtract_int64", (x, y) => x - y),
      defineOverload({
        id: "subtract_timestamp_duration",
        params: [timestampType, durationType],
        result: timestampType,
        implement: (timestamp, duration) => {
          const back = int(-duration.nanos);
          return typeof back === "bigint" ? shift(timestamp, back) : back;
        },
      }),
      defineOverload({
        id: "subtract_timestamp_timestamp",
        params: [timestampType, timestampType],
        result: durationType,
        implement: (x, y) => duration(x.nanos - y.nanos),
      }),
      uints("subtract_uint64", (x, y) => x - y),
    ],
    otherwise: (left) => operatorMismatch("_-_", left, (value) => isNumber(value) || isTime(value)),
  },
  {
    name: "_*_",
    overloads: [
      doubles("multiply_double", (x, y) => x * y),
      ints("multiply_int64", (x, y) => x * y),
      uints("multiply_uint64", (x, y) => x * y),
    ],
    otherwise: (left) => operatorMismatch("_*_", left, isNumber),
  },
  {
    name: "_/_",
    overloads: [
      doubles("divide_double", (x, y) => x / y),
      ints("divide_int64", (x, y) => (y === 0n ? failure("division by zero") : x / y)),
      uints("divide_uint64", (x, y) => (y === 0n ? failure("division by zero") : x / y)),
    ],
    otherwise: (left) => operatorMismatch("_/_", left, isNumber),
  },
  {
    name: "_%_",
    overloads: [
      ints("modulo_int64", (x, y) => {
        if (y === 0n) return failure("modulus by zero");
        return x === -(2n ** 63n) && y === -1n ? failure("integer overflow") : x % y;
      }),
      uints("modulo_uint64", (x, y) => (y === 0n ? failure("modulus by zero") : x % y)),
    ],
    otherwise: (left) => operatorMismatch("_%_", left, (value) => isNumber(value) && typeof value !== "number"),
  },
  {
    name: "-_",
    overloads: [
      defineOverload({ id: "negate_double", params: [doubleType], result: doubleType, implement: (x) => -x }),
      defineOverload({ id: "negate_int64", params: [intType], result: intType, implement: (x) => int(-x) }),
    ],
    // Negation is not declared for durations, so only arguments of type dyn get here.
    otherwise: (value) => {
      if (value instanceof CelDuration) return duration(-value.nanos);
      return operatorMismatch("-_", value, (operand) => typeof operand === "boolean");
    },
  },
];

function ints(id: string, operate: (x: bigint, y: bigint) => bigint | CelFailure): Overload {
  return defineOverload({
    id,
    params: [intType, intType],
    result: intType,
    implement: (x, y) => {
      const value = operate(x, y);
      return typeof value === "bigint" ? int(value) : value;
    },
  });
}

function uints(id: string, operate: (x: bigint, y: bigint) => bigint | CelFailure): Overload {
  return defineOverload({
    id,
    params: [uintType, uintType],
    result: uintType,
    implement: (x, y) => {
      const value = operate(x.value, y.value);
      if (typeof value !== "bigint") return value;
      return isUint64(value) ? new CelUint(value) : failure("unsigned integer overflow");
    },
  });
}

function doubles(id: string, operate: (x: number, y: number) => number): Overload {
  return defineOverload({ id, params: [doubleType, doubleType], result: doubleType, implement: operate });
}

function durations(id: string, operate: (x: bigint, y: bigint) => bigint): Overload {
  return defineOverload({
    id,
    params: [durationType, durationType],
    result: durationType,
    implement: (x, y) => duration(operate(x.nanos, y.nanos)),
  });
}

function int(value: bigint): bigint | CelFailure {
  return isInt64(value) ? value : failure("integer overflow");
}

function duration(nanos: bigint): CelDuration | CelFailure {
  return isInt64(nanos) ? new CelDuration(nanos) : failure("integer overflow");
}

function shift(timestamp: CelTimestamp, nanos: bigint): CelTimestamp | CelFailure {
  const moved = timestamp.nanos + nanos;
  if (moved < timestampNanosMin || moved > timestampNanosMax) return failure("timestamp overflow");
  return new CelTimestamp(moved, timestamp.offsetSeconds);
}

function joinBytes(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(left.length + right.length);
  joined.set(left);
  joined.set(right, left.length);
  return joined;
}

function addLists(left: CelValue, right: CelValue): CelResult {
  return left instanceof CelList && right instanceof CelList ? concat(left, right) : noSuchOverload();
}

function isNumber(value: CelValue): boolean {
  return typeof value === "bigint" || typeof value === "number" || value instanceof CelUint;
}

function isTime(value: CelValue): boolean {
  return value instanceof CelTimestamp || value instanceof CelDuration;
}

function isAddable(value: CelValue): boolean {
  return (
    isNumber(value) ||
    isTime(value) ||
    typeof value === "string" ||
    value instanceof Uint8Array ||
    value instanceof CelList
  );
}
