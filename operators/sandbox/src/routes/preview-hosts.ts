// The preview hosts of one Service, as its RouteTable publishes them.

import { hostBytesMax, hostsMax } from "../api/route-table-hosts.ts";
import type { TableHost } from "../api/route-table.ts";
import { type Aged, compareAge, compareText } from "./keys.ts";

/** An object that requests a host. */
export interface HostClaim {
  readonly host: TableHost;
  /** The object that the endpoint of the host belongs to. */
  readonly owner: Aged;
}

/** The hosts of a table, and the number of those that do not fit. */
export interface PreviewHosts {
  readonly hosts: readonly TableHost[];
  readonly omitted: number;
}

/** Returns the claim of the oldest object. */
export function oldestClaim<T extends Pick<HostClaim, "owner">>(claims: Iterable<T>): T | undefined {
  let oldest: T | undefined;
  for (const claim of claims) if (oldest === undefined || compareAge(claim.owner, oldest.owner) < 0) oldest = claim;
  return oldest;
}

/** Returns the hosts that fit into a table, sorted by name. Hosts of the oldest objects are kept. */
export function fitHosts(
  claims: readonly HostClaim[],
  { bytesMax = hostBytesMax, countMax = hostsMax }: { readonly bytesMax?: number; readonly countMax?: number } = {},
): PreviewHosts {
  const byAge = claims.toSorted((a, b) => compareAge(a.owner, b.owner) || compareText(a.host.host, b.host.host));
  const hosts = new Map<string, TableHost>();
  let bytes = 0;
  let omitted = 0;
  for (const { host } of byAge) {
    if (hosts.has(host.host)) continue;
    bytes += Buffer.byteLength(JSON.stringify(host)) + 1;
    if (bytes > bytesMax || hosts.size >= countMax) omitted += 1;
    else hosts.set(host.host, host);
  }
  return { hosts: [...hosts.values()].sort((a, b) => compareText(a.host, b.host)), omitted };
}
