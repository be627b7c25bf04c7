// Finds the selectors that match labels, and the objects that a selector matches, without looking at all of them.
//
// A selector can match only objects that have each of its `key=value` pairs. It is therefore indexed under one of them, and an
// object is indexed under all of its labels; what is found under the pair is then compared as a whole. The longest pair is taken,
// because names of instances tend to be longer than those of applications: any pair is correct, a rare one is faster.

import type { DeepReadonly } from "@homeostat/core";

/** Labels that a selector requires. */
export type MatchLabels = DeepReadonly<Record<string, string>> | undefined;

/** Returns the index value of a selector, and of the objects among which those that it matches are found. */
export function selectorValue(namespace: string, matchLabels: MatchLabels): string {
  let longest = "";
  for (const [key, value] of Object.entries(matchLabels ?? {})) {
    const pair = `${key}=${value}`;
    if (pair.length > longest.length || (pair.length === longest.length && pair < longest)) longest = pair;
  }
  return `${namespace}/${longest}`;
}

/** Returns the index values of an object with labels: under one of them is each selector that matches it. */
export function labelValues(namespace: string, labels: MatchLabels): readonly string[] {
  return [`${namespace}/`, ...Object.entries(labels ?? {}).map(([key, value]) => `${namespace}/${key}=${value}`)];
}
