import { CelFailure, failure, noSuchOverload } from "../failure.ts";
import { defineLibrary, defineOverload, type FunctionDeclaration, type Library } from "../library.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
  type CelType,
} from "../types/type.ts";
import { equals } from "../values/equality.ts";
import { compare, isOrdered } from "../values/ordering.ts";
import type { CelList, CelResult, CelValue } from "../values/value.ts";
import { passingCost } from "./call-costs.ts";
import { sumFunction } from "./list-sums.ts";

/** Ordered types with their names in overload ids. */
export const orderedTypes: readonly { readonly name: string; readonly type: CelType }[] = [
  { name: "int", type: intType },
  { name: "uint", type: uintType },
  { name: "double", type: doubleType },
  { name: "bool", type: boolType },
  { name: "duration", type: durationType },
  { name: "timestamp", type: timestampType },
  { name: "string", type: stringType },
  { name: "bytes", type: bytesType },
];

/** The list library of Kubernetes: `isSorted`, `sum`, `min`, `max`, `indexOf` and `lastIndexOf`. */
export const listLibrary: Library = defineLibrary({
  name: "kubernetes.lists",
  functions: () => [
    {
      name: "isSorted",
      overloads: orderedTypes.map(({ name, type }) =>
        defineOverload({
          id: `list_${name}_is_sorted_bool`,
          member: true,
          params: [listType(type)],
          result: boolType,
          implement: isSorted,
        }),
      ),
      cost: passingCost,
    },
    extreme("min", 1),
    extreme("max", -1),
    sumFunction(),
    finding("indexOf", "list_a_index_of_int", (size) => Array.from({ length: size }, (_, index) => index)),
    finding("lastIndexOf", "list_a_last_index_of_int", (size) =>
      Array.from({ length: size }, (_, index) => size - 1 - index),
    ),
  ],
});

/** Reports whether a list is sorted. As in Kubernetes, elements that cannot be compared count as sorted. */
function isSorted(list: CelList): boolean | CelFailure {
  let previous: CelValue | undefined;
  for (let index = 0; index < list.size; index++) {
    const element = orderedAt(list, index);
    if (element instanceof CelFailure) return element;
    if (previous !== undefined && compare(previous, element) === 1) return false;
    previous = element;
  }
  return true;
}

/** Returns the function `min` or `max`. An element is replaced by a later one if comparing the two results in `worse`. */
function extreme(name: "min" | "max", worse: 1 | -1): FunctionDeclaration {
  const find = (list: CelList): CelResult => {
    let best: CelValue | undefined;
    for (let index = 0; index < list.size; index++) {
      const element = orderedAt(list, index);
      if (element instanceof CelFailure) return element;
      if (best === undefined || compare(best, element) === worse) best = element;
    }
    return best ?? failure(`${name} called on empty list`);
  };
  return {
    name,
    overloads: orderedTypes.map(({ name: typeName, type }) =>
      defineOverload({
        id: `list_${typeName}_${name}_${typeName}`,
        member: true,
        params: [listType(type)],
        result: type,
        implement: find,
      }),
    ),
    cost: passingCost,
  };
}

function orderedAt(list: CelList, index: number): CelResult {
  const element = list.at(index);
  return element instanceof CelFailure || isOrdered(element) ? element : noSuchOverload();
}

function finding(name: string, id: string, order: (size: number) => readonly number[]): FunctionDeclaration {
  const element = typeParameter("A");
  return {
    name,
    overloads: [
      defineOverload({
        id,
        member: true,
        params: [listType(element), element],
        result: intType,
        implement: (list, item) => BigInt(order(list.size).find((index) => holds(list, index, item)) ?? -1),
      }),
    ],
    cost: passingCost,
  };
}

function holds(list: CelList, index: number, item: CelValue): boolean {
  const element = list.at(index);
  return !(element instanceof CelFailure) && equals(element, item) === true;
}
