// Headers of route groups, as part of the routing settings of proxies.

import type { GroupHeader } from "@homeostat/routing";
import { compareText } from "./keys.ts";

/** A group with a header of its own. */
export interface HeaderOwner {
  /** Key that the group owns; undefined without one. */
  readonly routingKey: string | undefined;
  /** Keys of explicit routes of the group. */
  readonly routeKeys: readonly string[];
  readonly routingKeyHeader: string;
  readonly isDeleting: boolean;
}

/** Returns the headers of groups with the keys that they carry, sorted. A group without a key has no routes, and needs no header. */
export function groupHeadersOf(groups: Iterable<HeaderOwner>): readonly GroupHeader[] {
  const keysByName = new Map<string, Set<string>>();
  for (const { routingKey, routeKeys, routingKeyHeader, isDeleting } of groups) {
    if (isDeleting || routingKey === undefined) continue;
    const name = routingKeyHeader.toLowerCase();
    const keys = keysByName.get(name) ?? new Set();
    for (const key of [routingKey, ...routeKeys]) keys.add(key);
    keysByName.set(name, keys);
  }
  return [...keysByName]
    .map(([name, keys]) => ({ name, routingKeys: [...keys].sort(compareText) }))
    .sort((a, b) => compareText(a.name, b.name));
}
