// Counts of the proxies that follow a table, from the entries that the replicas of the route server write.

import type { CachedRouteTable, CountedRole } from "../api/route-table.ts";

/** Connected proxies, and those among them that have confirmed the current version of the table. */
export interface ProxyCounts {
  readonly total: number;
  readonly synced: number;
}

/**
 * Sums the counts of all replicas of the route server, of one role or of all. A replica that has not seen the current version yet reports
 * confirmations of an older one; its proxies count as not synced. Entries of a route server that is older than the operator have no roles; all of
 * their proxies are counted.
 */
export function countProxies({ spec, status }: CachedRouteTable, role?: CountedRole): ProxyCounts {
  let total = 0;
  let synced = 0;
  for (const replica of status?.replicas ?? []) {
    const isByRole = role !== undefined && replica.roles !== undefined;
    const counts = isByRole ? replica.roles.find((each) => each.role === role) : replica;
    total += counts?.total ?? 0;
    if (replica.version === spec.version) synced += counts?.synced ?? 0;
  }
  return { total, synced };
}

/** Returns the role of the proxies that intercept the requests of a table; undefined if no proxy does. */
export function interceptingRole({ spec }: CachedRouteTable): CountedRole | undefined {
  if (spec.interception === "Takeover") return "takeover";
  return spec.interception === "Sidecar" ? "sidecar" : undefined;
}
