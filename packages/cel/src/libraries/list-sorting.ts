import type { CallEstimate, CostContext } from "../cost/model.ts";
import type { CostNode } from "../types/cost-node.ts";
import { multiply } from "../cost/ranges.ts";
import { textFactor } from "../cost/rules.ts";
import { CelFailure, failure, noSuchOverload } from "../failure.ts";
import { defineOverload, type FunctionDeclaration } from "../library.ts";
import { bind } from "../standard/optionals.ts";
import type { Expr } from "../syntax/ast.ts";
import type { MacroDeclaration } from "../syntax/macro.ts";
import { standardMacros } from "../syntax/macros.ts";
import { runtimeName } from "../types/runtime-name.ts";
import { listType, typeParameter, type CelType } from "../types/type.ts";
import { ArrayList, elementsOf } from "../values/collections.ts";
import { compare, isOrdered } from "../values/ordering.ts";
import { typeNameOf } from "../values/type-of.ts";
import { CelList, type CelResult } from "../values/value.ts";
import { listEstimate, selfComparisonCost } from "./call-costs.ts";
import { orderedTypes } from "./lists.ts";

const sortByName = "@sortByAssociatedKeys";
const listOfT = listType(typeParameter("T"));

/** `sort`: the elements of a list in ascending order. */
export const sortFunction = (): FunctionDeclaration => ({
  name: "sort",
  overloads: orderedTypes.map(({ type }) =>
    defineOverload({
      id: `list_${runtimeName(type)}_sort`,
      member: true,
      params: [listType(type)],
      result: listType(type),
      implement: (list) => sortByKeys(list, list),
      cost: {
        estimate: ({ target }, context) => (target === undefined ? undefined : estimate(target, type, context)),
        track: ([list]) => selfComparisonCost(list),
      },
    }),
  ),
  // The overload does not matter, because all elements are compared at run time.
  otherwise: (list) => (list instanceof CelList ? sortByKeys(list, list) : noSuchOverload()),
});

/** The function behind `sortBy`: sorts a list by another list that has the key of each element. */
export const sortByFunction = (): FunctionDeclaration => ({
  name: sortByName,
  overloads: orderedTypes.map(({ type }) =>
    defineOverload({
      id: `list_${runtimeName(type)}_sortByAssociatedKeys`,
      member: true,
      params: [listOfT, listType(type)],
      result: listOfT,
      implement: sortByKeys,
      cost: {
        estimate: ({ args: [keys] }, context) => (keys === undefined ? undefined : estimate(keys, type, context)),
        track: ([, keys]) => selfComparisonCost(keys),
      },
    }),
  ),
  otherwise: (list, keys) =>
    list instanceof CelList && keys instanceof CelList ? sortByKeys(list, keys) : noSuchOverload(),
});

const inputName = "@__sortBy_input__";
const sortable: ReadonlySet<Expr["kind"]> = new Set(["list", "select", "ident", "comprehension", "call"]);
const mapMacro = standardMacros.find(({ name, argumentCount }) => name === "map" && argumentCount === 2);

/** `list.sortBy(x, key)`: binds the list to a name and sorts it by the mapped keys. */
export const sortByMacro: MacroDeclaration = {
  name: "sortBy",
  member: true,
  argumentCount: 2,
  expand: (factory, args, target) => {
    if (target === undefined) return undefined;
    if (!sortable.has(target.kind)) {
      throw factory.problem(
        target,
        "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
      );
    }
    const keys = mapMacro?.expand(factory, args, factory.ident(inputName));
    if (keys === undefined) return undefined;
    return bind(factory, inputName, target, factory.memberCall(sortByName, factory.ident(inputName), keys));
  },
};

function estimate(keys: CostNode, type: CelType, context: CostContext): CallEstimate {
  const size = context.size(keys);
  const isText = type.kind === "string" || type.kind === "bytes";
  return listEstimate(multiply(size, size), isText ? 2 + textFactor : 2);
}

/**
 * Sorts stably. Kubernetes is stable only for up to twelve elements, because Go's `sort` uses insertion sort for these.
 */
function sortByKeys(list: CelList, keys: CelList): CelList | CelFailure {
  if (list.size !== keys.size) {
    const sizes = `${list.size} and ${keys.size} elements respectively`;
    return failure(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${sizes}`,
    );
  }
  if (list.size === 0) return list;
  const found = elementsOf(keys);
  const [first = null] = found;
  if (first instanceof CelFailure || !isOrdered(first)) return failure("list elements must be comparable");
  const typeName = typeNameOf(first);
  if (found.some((key) => key instanceof CelFailure || typeNameOf(key) !== typeName)) {
    return failure("list elements must have the same type");
  }
  const indexes = sortedIndexes(found.length, (left, right) => precedes(found[left], found[right]));
  return new ArrayList(indexes.map((index) => list.at(index)));
}

function precedes(left: CelResult | undefined, right: CelResult | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return !(left instanceof CelFailure) && !(right instanceof CelFailure) && compare(left, right) === -1;
}

const insertionSizeMax = 12;

/**
 * Returns the indexes from 0 to `size - 1` in sorted order.
 *
 * Short lists are sorted by insertion, as in Kubernetes, so that NaN, which compares false with everything, ends up at the same
 * position.
 */
function sortedIndexes(size: number, isBefore: (left: number, right: number) => boolean): number[] {
  const indexes = Array.from({ length: size }, (_, index) => index);
  if (size > insertionSizeMax) {
    return indexes.sort((left, right) => (isBefore(left, right) ? -1 : isBefore(right, left) ? 1 : 0));
  }
  for (let end = 1; end < size; end++) {
    const moved = indexes[end] ?? 0;
    let at = end;
    while (at > 0 && isBefore(moved, indexes[at - 1] ?? 0)) {
      indexes[at] = indexes[at - 1] ?? 0;
      at -= 1;
    }
    indexes[at] = moved;
  }
  return indexes;
}
