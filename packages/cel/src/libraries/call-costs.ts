import { utf8Length } from "@homeostat/core";
import type { CallCost, CallEstimate, CostContext } from "../cost/model.ts";
import type { CostNode, Range } from "../types/cost-node.ts";
import { add, exactly, multiply, scale, unbounded } from "../cost/ranges.ts";
import { listCost, patternFactor, textFactor } from "../cost/rules.ts";
import { sizeOf } from "../values/size-of.ts";
import { CelList, CelMap, type CelResult, type CelValue } from "../values/value.ts";

/*
 * Costs of calls of the Kubernetes libraries. They determine which rules the API server accepts, so all numbers are those of
 * Kubernetes.
 */

/** Cost of calls that take constant time. */
export const flatCost: CallCost = { estimate: () => ({ cost: exactly(1) }), track: () => 1 };

/** Returns the cost of calls that read their first argument, such as parsers, `passes` times. */
export function readingCost(passes = 1): Required<CallCost> {
  return {
    estimate: ({ args: [text] }, context) =>
      text === undefined ? undefined : { cost: scale(context.size(text), passes * textFactor) },
    track: ([text]) => (text === undefined ? undefined : Math.ceil(sizeOf(text) * passes * textFactor)),
  };
}

/** Cost of calls that read their receiver once and return a string of at most its size. */
export const copyingCost: CallCost = {
  estimate: ({ target }, context) => {
    if (target === undefined) return undefined;
    const size = context.size(target);
    return { cost: scale(size, textFactor), resultSize: size };
  },
  track: ([text]) => (text === undefined ? undefined : Math.ceil(sizeOf(text) * textFactor)),
};

/** Cost of calls that traverse a list or string once: `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`. */
export const passingCost: CallCost = {
  estimate: ({ target }, context) => {
    if (target === undefined) return undefined;
    const element = context.element(target);
    if (element === undefined) return { cost: scale(context.size(target), textFactor) };
    return { cost: multiply(context.size(target), add(exactly(1), textCost(element, context))) };
  },
  track: ([subject]) => (subject === undefined ? 0 : traversalCost(subject)),
};

/** Cost of calls that search for a pattern in a string. */
export const searchingCost: CallCost = {
  estimate: ({ target, args: [pattern] }, context) => {
    if (target === undefined || pattern === undefined) return undefined;
    const size = context.size(target);
    const cost = multiply(scale(add(size, exactly(1)), textFactor), scale(context.size(pattern), patternFactor));
    return { cost, resultSize: { min: 0, max: size.max } };
  },
  track: ([text, pattern]) =>
    text === undefined || pattern === undefined ? undefined : searchCost(sizeOf(text), sizeOf(pattern)),
};

/** Returns the cost of searching for a pattern in a string. It is not zero for an empty string. */
export function searchCost(textSize: number, patternLength: number): number {
  return Math.ceil((1 + textSize) * textFactor) * Math.ceil(patternLength * patternFactor);
}

/** Returns the estimate of a call that creates a list, with a cost per element. */
export function listEstimate(size: Range, factor: number): CallEstimate {
  return { cost: add(add(scale(size, factor), exactly(1)), exactly(listCost)), resultSize: size };
}

/** Returns the cost of a call that created a list, with a cost per element. */
export function listTrack(size: number, factor: number): number {
  return Math.trunc(size * factor) + 1 + listCost;
}

/** Returns the cost of comparing every element of a list with every other. */
export function selfComparisonCost(list: CelValue | undefined): number {
  if (!(list instanceof CelList) || list.size === 0) return listTrack(0, 2);
  const first = list.at(0);
  const isText = typeof first === "string" || first instanceof Uint8Array;
  return listTrack(list.size * list.size, isText ? 2 + textFactor : 2);
}

/** Returns the value of an argument that is an int literal, at least 0; `otherwise` for other arguments. */
export function literalCount(node: CostNode, otherwise: number): number {
  if (typeof node.literal !== "bigint") return otherwise;
  return node.literal < 0n ? 0 : Number(node.literal);
}

/** Returns a difference in unsigned 64-bit arithmetic, as in the API server, where a negative difference wraps to a huge number. */
export function wrappingDifference(end: number, start: number): number {
  return end >= start ? end - start : unbounded;
}

function textCost(node: CostNode, context: CostContext): Range {
  const isText = node.type.kind === "string" || node.type.kind === "bytes";
  return isText ? scale(context.size(node), textFactor) : exactly(0);
}

/** Returns the cost of traversing a value. Strings count by their bytes, rounded down. */
function traversalCost(value: CelResult): number {
  if (typeof value === "string") return Math.trunc(utf8Length(value) * textFactor);
  if (value instanceof Uint8Array) return Math.trunc(value.length * textFactor);
  if (value instanceof CelList) return sumOf(value.size, (index) => traversalCost(value.at(index)));
  if (value instanceof CelMap) {
    const keys = value.keys();
    return sumOf(keys.length, (index) => entryCost(value, keys[index] ?? null));
  }
  return 1;
}

function entryCost(map: CelMap, key: CelValue): number {
  return traversalCost(key) + traversalCost(map.find(key) ?? null);
}

function sumOf(count: number, costAt: (index: number) => number): number {
  let sum = 0;
  for (let index = 0; index < count; index++) sum += costAt(index);
  return sum;
}
