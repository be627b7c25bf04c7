// Decides whether the routes of a sandbox or a group are in force, using confirmations that earlier reconciles
// recorded.

import type { RouteEntry, RouteTable } from "@homeostat/routing";
import type { CachedRouteTable } from "../api/route-table.ts";
import { hashOf } from "../build/hashes.ts";
import { decideProgrammed, type ProgrammedRoutes, type RoutesInput } from "../decide/programmed.ts";
import type { ConfirmedRoutes } from "../observe/confirmed-routes.ts";
import type { RouteFeed } from "../observe/route-feed.ts";

/** The routes of one object. */
export interface ObjectRoutes extends Pick<
  RoutesInput,
  "ownsKey" | "services" | "refusedServices" | "uncompiledServices"
> {
  readonly uid: string;
  /** Reports whether an entry of a table is a route of the object. */
  isOwn(this: void, entry: RouteEntry): boolean;
}

/** Dependencies of {@link programmedRoutes}. */
export interface RouteTools {
  readonly feed: RouteFeed;
  readonly confirmed: ConfirmedRoutes;
  /** Returns the published table of a Service. */
  table(this: void, service: string): CachedRouteTable | undefined;
}

/** Decides whether the routes of an object are in force, and remembers those that all proxies have confirmed. */
export function programmedRoutes({ uid, isOwn, ...routes }: ObjectRoutes, tools: RouteTools): ProgrammedRoutes {
  const { feed, confirmed, table } = tools;
  const compiled = (service: string): RouteTable | undefined => feed.table(service)?.table;
  const keyOf = (service: string): string => `${uid}/${service}`;
  const hashes = new Map<string, string>();
  const hash = (service: string): string => {
    const known = hashes.get(service) ?? ownHash(compiled(service), isOwn);
    hashes.set(service, known);
    return known;
  };
  const programmed = decideProgrammed({
    ...routes,
    table,
    compiledVersion: (service) => compiled(service)?.version,
    confirmedVersion: (service) => confirmed.version(keyOf(service), hash(service)),
  });
  for (const service of programmed.confirmed) {
    const version = compiled(service)?.version;
    if (version !== undefined) confirmed.confirm(keyOf(service), hash(service), version);
  }
  return programmed;
}

/** Returns the hash of everything in a table that the routes of one object depend on. */
function ownHash(table: RouteTable | undefined, isOwn: (entry: RouteEntry) => boolean): string {
  if (table === undefined) return "";
  return hashOf({ interception: table.interception, ports: table.ports, entries: table.entries.filter(isOwn) });
}
