import { CelFailure, failure } from "../failure.ts";
import type { FunctionDeclaration, Overload } from "../library.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  stringType,
  timestampType,
  uintType,
  type CelType,
} from "../types/type.ts";
import { compare, isOrdered } from "../values/ordering.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { operatorMismatch } from "./mismatch.ts";

/** Pairs of types that can be compared, by their name in overload ids. Numbers can be compared across types. */
const signatures: readonly (readonly [id: string, left: CelType, right: CelType])[] = [
  ["bool", boolType, boolType],
  ["int64", intType, intType],
  ["int64_double", intType, doubleType],
  ["int64_uint64", intType, uintType],
  ["uint64", uintType, uintType],
  ["uint64_double", uintType, doubleType],
  ["uint64_int64", uintType, intType],
  ["double", doubleType, doubleType],
  ["double_int64", doubleType, intType],
  ["double_uint64", doubleType, uintType],
  ["string", stringType, stringType],
  ["bytes", bytesType, bytesType],
  ["timestamp", timestampType, timestampType],
  ["duration", durationType, durationType],
];

/** `<`, `<=`, `>` and `>=`. */
export const comparisonFunctions = (): readonly FunctionDeclaration[] => [
  comparison("_<_", "less", (order) => order < 0),
  comparison("_<=_", "less_equals", (order) => order <= 0),
  comparison("_>_", "greater", (order) => order > 0),
  comparison("_>=_", "greater_equals", (order) => order >= 0),
];

function comparison(name: string, prefix: string, holds: (order: number) => boolean): FunctionDeclaration {
  const implement = (left: CelValue, right: CelValue): CelResult => {
    const order = compare(left, right);
    return order instanceof CelFailure ? order : holds(order);
  };
  return {
    name,
    overloads: signatures.map(([id, left, right]): Overload => ({
      id: `${prefix}_${id}`,
      params: [left, right],
      result: boolType,
      implement,
    })),
    otherwise: (left) =>
      Number.isNaN(left) ? failure("NaN values cannot be ordered") : operatorMismatch(name, left, isOrdered),
  };
}
