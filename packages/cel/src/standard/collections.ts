import { codePointLength } from "@homeostat/core";
import { CelFailure, noSuchOverload } from "../failure.ts";
import type { FunctionDeclaration, Overload } from "../library.ts";
import {
  boolType,
  bytesType,
  intType,
  listType,
  mapType,
  stringType,
  typeParameter,
  type CelType,
} from "../types/type.ts";
import { equals } from "../values/equality.ts";
import { CelList, CelMap, type CelResult, type CelValue } from "../values/value.ts";
import { operatorMismatch } from "./mismatch.ts";

const a = typeParameter("A");
const b = typeParameter("B");
const listOfA = listType(a);
const mapOfAB = mapType(a, b);

/** `size`, `in` and the index operator. */
export const collectionFunctions = (): readonly FunctionDeclaration[] => [
  {
    name: "size",
    overloads: [
      ...sizes("size_bytes", "bytes_size", bytesType),
      ...sizes("size_list", "list_size", listOfA),
      ...sizes("size_map", "map_size", mapOfAB),
      ...sizes("size_string", "string_size", stringType),
    ],
    otherwise: (value) => operatorMismatch("size", value, () => false),
  },
  {
    name: "@in",
    overloads: [
      { id: "in_list", params: [a, listOfA], result: boolType, implement: contains },
      { id: "in_map", params: [a, mapOfAB], result: boolType, implement: contains },
    ],
    otherwise: noSuchOverload,
  },
  {
    name: "_[_]",
    overloads: [
      // Declared for the checker only: the interpreter evaluates indexes together with selections.
      { id: "index_list", params: [listOfA, intType], result: a, implement: noSuchOverload },
      { id: "index_map", params: [mapOfAB, a], result: b, implement: noSuchOverload },
    ],
  },
];

function sizes(id: string, memberId: string, type: CelType): readonly Overload[] {
  const implement = (value: CelValue): CelResult => BigInt(size(value));
  return [
    { id, params: [type], result: intType, implement },
    { id: memberId, member: true, params: [type], result: intType, implement },
  ];
}

function size(value: CelValue): number {
  if (typeof value === "string") return codePointLength(value);
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  return value instanceof Uint8Array ? value.length : 0;
}

/** Reports whether a list contains a value or a map contains a key. */
export function contains(value: CelValue, container: CelValue): boolean | CelFailure {
  if (container instanceof CelMap) {
    const found = container.find(value);
    return found instanceof CelFailure ? found : found !== undefined;
  }
  if (!(container instanceof CelList)) return noSuchOverload();
  const special = container.customContains(value);
  if (special !== undefined) return special;
  for (let index = 0; index < container.size; index++) {
    const element = container.at(index);
    if (!(element instanceof CelFailure) && equals(value, element) === true) return true;
  }
  return false;
}
