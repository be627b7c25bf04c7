import type { CallCost } from "../cost/model.ts";
import { exactly, multiply, unbounded } from "../cost/ranges.ts";
import { CelFailure, failure } from "../failure.ts";
import { defineLibrary, defineOverload, type Library } from "../library.ts";
import { dynType, intType, listType, typeParameter } from "../types/type.ts";
import { ArrayList, elementsOf } from "../values/collections.ts";
import { equals } from "../values/equality.ts";
import { sizeOf } from "../values/size-of.ts";
import { typeNameOf } from "../values/type-of.ts";
import { CelList, type CelResult } from "../values/value.ts";
import { listEstimate, listTrack, literalCount, selfComparisonCost, wrappingDifference } from "./call-costs.ts";
import { sortByFunction, sortByMacro, sortFunction } from "./list-sorting.ts";

const t = typeParameter("T");
const listOfT = listType(t);

const flatteningCost: CallCost = {
  estimate: ({ target, args: [depth] }, context) => {
    if (target === undefined) return undefined;
    return listEstimate(context.size(target), depth === undefined ? 1 : literalCount(depth, unbounded));
  },
  track: ([list, depth]) =>
    list === undefined ? undefined : listTrack(sizeOf(list), typeof depth === "bigint" ? Number(depth) : 1),
};

/** The lists extension of cel-go: `slice`, `flatten`, `reverse`, `distinct`, `sort`, `sortBy` and `lists.range`. */
export const listExtensionLibrary: Library = defineLibrary({
  name: "cel.lib.ext.lists",
  macros: [sortByMacro],
  functions: () => [
    {
      name: "slice",
      overloads: [
        defineOverload({
          id: "list_slice",
          member: true,
          params: [listOfT, intType, intType],
          result: listOfT,
          implement: slice,
          cost: {
            estimate: ({ target, args: [start, end] }, context) => {
              if (target === undefined || start === undefined || end === undefined) return undefined;
              const from = literalCount(start, 0);
              const to = literalCount(end, context.size(target).max);
              return listEstimate(exactly(wrappingDifference(to, from)), 1);
            },
            track: (_args, result) => listTrack(sizeOf(result), 1),
          },
        }),
      ],
    },
    {
      name: "flatten",
      overloads: [
        defineOverload({
          id: "list_flatten",
          member: true,
          params: [listType(listOfT)],
          result: listOfT,
          implement: (list) => flatten(list, 1n),
          cost: flatteningCost,
        }),
        defineOverload({
          id: "list_flatten_int",
          member: true,
          params: [listType(dynType), intType],
          result: listType(dynType),
          implement: flatten,
          cost: flatteningCost,
        }),
      ],
      // A list that is already flat is allowed, although it does not match the parameter type.
      otherwise: (list, ...rest) => {
        const [depth = 1n] = rest;
        if (list instanceof CelList && typeof depth === "bigint") return flatten(list, depth);
        return failure(`no such overload: ${typeNameOf(list ?? null)}.flatten(${rest.map(typeNameOf).join(", ")})`);
      },
    },
    {
      name: "lists.range",
      overloads: [
        defineOverload({
          id: "lists_range",
          params: [intType],
          result: listType(intType),
          implement: range,
          cost: {
            estimate: ({ args: [count] }) =>
              count === undefined ? undefined : listEstimate(exactly(literalCount(count, unbounded)), 1),
            track: (_args, result) => listTrack(sizeOf(result), 1),
          },
        }),
      ],
    },
    {
      name: "reverse",
      overloads: [
        defineOverload({
          id: "list_reverse",
          member: true,
          params: [listOfT],
          result: listOfT,
          implement: (list) => new ArrayList(elementsOf(list).reverse()),
          cost: {
            estimate: ({ target }, context) =>
              target === undefined ? undefined : listEstimate(context.size(target), 1),
            track: (_args, result) => listTrack(sizeOf(result), 1),
          },
        }),
      ],
    },
    {
      name: "distinct",
      overloads: [
        defineOverload({
          id: "list_distinct",
          member: true,
          params: [listOfT],
          result: listOfT,
          implement: distinct,
          cost: {
            estimate: ({ target }, context) => {
              if (target === undefined) return undefined;
              const size = context.size(target);
              return listEstimate(multiply(size, size), 2);
            },
            track: ([list]) => selfComparisonCost(list),
          },
        }),
      ],
    },
    sortFunction(),
    sortByFunction(),
  ],
});

function slice(list: CelList, start: bigint, end: bigint): CelList | CelFailure {
  const problem = (text: string): CelFailure => failure(`cannot slice(${start}, ${end}), ${text}`);
  if (start < 0n || end < 0n) return problem("negative indexes not supported");
  if (start > end) return problem("start index must be less than or equal to end index");
  if (BigInt(list.size) < end) return problem(`list is length ${list.size}`);
  const from = Number(start);
  return new ArrayList(Array.from({ length: Number(end) - from }, (_, index) => list.at(from + index)));
}

function flatten(list: CelList, depth: bigint): CelList | CelFailure {
  if (depth < 0n) return failure("level must be non-negative");
  const flat: CelResult[] = [];
  const collect = (from: CelList, left: bigint): void => {
    for (let index = 0; index < from.size; index++) {
      const element = from.at(index);
      if (element instanceof CelList && left > 0n) collect(element, left - 1n);
      else flat.push(element);
    }
  };
  collect(list, depth);
  return new ArrayList(flat);
}

/** The integers from 0 to a count, exclusive. Computed on access, because the count may exceed the memory. */
class RangeList extends CelList {
  override readonly size: number;

  constructor(size: number) {
    super();
    this.size = size;
  }

  override at(index: number): CelResult {
    return BigInt(index);
  }
}

function range(count: bigint): CelList | CelFailure {
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) return failure("operation cancelled: actual cost limit exceeded");
  return new RangeList(count > 0n ? Number(count) : 0);
}

function distinct(list: CelList): CelList {
  const texts = new Set<CelResult>();
  const unique: CelResult[] = [];
  for (const element of elementsOf(list)) {
    if (typeof element === "string") {
      if (texts.has(element)) continue;
      texts.add(element);
    } else if (unique.some((other) => areEqual(element, other))) {
      continue;
    }
    unique.push(element);
  }
  return new ArrayList(unique);
}

function areEqual(left: CelResult, right: CelResult): boolean {
  return !(left instanceof CelFailure) && !(right instanceof CelFailure) && equals(left, right) === true;
}
