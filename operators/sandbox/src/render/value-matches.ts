// Conditions on headers and query parameters of the Gateway API.

import type { ValueMatch } from "./gateway-types.ts";
import { InexpressibleError } from "./ordered-matches.ts";

/**
 * Returns the conditions of both lists, or undefined if no request meets all. Implementations use only the first of several conditions with the same
 * name.
 */
export function intersectValues(
  a: readonly ValueMatch[] = [],
  b: readonly ValueMatch[] = [],
): readonly ValueMatch[] | undefined {
  const merged = [...a];
  for (const match of b) {
    const known = merged.find(({ name }) => name.toLowerCase() === match.name.toLowerCase());
    if (known === undefined) merged.push(match);
    else if (known.value === match.value && typeOf(known) === typeOf(match)) continue;
    else if (typeOf(known) === "Exact" && typeOf(match) === "Exact") return undefined;
    else throw new InexpressibleError(`two conditions on ${JSON.stringify(match.name)}`);
  }
  return merged;
}

function typeOf({ type = "Exact" }: ValueMatch): string {
  return type;
}
