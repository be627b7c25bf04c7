// Finds the selectors that match labels, and the objects that a selector matches, without scanning all of them.
//
// A selector can only match objects that have each of its `key=value` pairs. It is therefore indexed under one of its
// pairs, and an object is indexed under all of its labels; the candidates found under the pair are then compared as a
// whole. The longest pair is used, because names of instances tend to be longer than names of applications: any pair
// is correct, a rare one is faster.

import type { DeepReadonly } from "@homeostat/core";

/** Labels that a selector requires. */
export type MatchLabels = DeepReadonly<Record<string, string>> | undefined;

/**
 * Returns the value under which a selector is indexed. The objects that it matches are indexed under the same value.
 */
export function selectorValue(namespace: string, matchLabels: MatchLabels): string {
  let longest = "";
  for (const [key, value] of Object.entries(matchLabels ?? {})) {
    const pair = `${key}=${value}`;
    if (pair.length > longest.length || (pair.length === longest.length && pair < longest)) longest = pair;
  }
  return `${namespace}/${longest}`;
}

/**
 * Returns the values under which an object is indexed. Each selector that matches its labels is indexed under one of
 * them.
 */
export function labelValues(namespace: string, labels: MatchLabels): readonly string[] {
  return [`${namespace}/`, ...Object.entries(labels ?? {}).map(([key, value]) => `${namespace}/${key}=${value}`)];
}
