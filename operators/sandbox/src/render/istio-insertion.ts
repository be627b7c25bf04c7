// Inserts routes into a VirtualService of a user.
//
// Istio uses the first route that matches. Inserted routes come before all routes of the user. For each route R of the user, in order, they are: for
// each routing key, R with the route's conditions, a condition on the key, and the destination replaced; then a copy of R with only the condition on
// the key. Without that copy, a request with the key that matches R but none of the conditions would reach an inserted route of a later user route.

import { isEqual } from "@homeostat/core";
import type { RouteTable, RoutingSettings } from "@homeostat/routing";
import { annotations } from "../api/identity.ts";
import { derive, type IstioOutput, istioRoutePrefix, leadsTo, numbered, withKey } from "./istio.ts";
import type { IstioMatch, IstioRoute, VirtualService } from "./istio-types.ts";
import { Limitations } from "./limitation.ts";
import { planRoutes } from "./route-plan.ts";

/** Input of the insertion. */
export interface InsertionInput {
  readonly virtualService: VirtualService;
  /** Tables of all Services that the VirtualService routes to. If empty, all inserted routes are removed. */
  readonly tables: readonly RouteTable[];
  readonly settings: RoutingSettings;
}

/** Reports whether a VirtualService routes to the Service of a table and may be changed. */
export function routesTo({ metadata, spec }: VirtualService, table: RouteTable): boolean {
  if (metadata.namespace !== table.namespace || metadata.annotations?.[annotations.ignore] === "true") return false;
  return userRoutes(spec.http).some((route) => tablesOf(route, [table]).length > 0);
}

/** Returns a VirtualService with the routes of the tables; `virtualService` is undefined if nothing changes. */
export function insertRoutes({ virtualService, tables, settings }: InsertionInput): IstioOutput {
  const limitations = new Limitations();
  const { metadata, spec } = virtualService;
  const own = userRoutes(spec.http);
  const inserted = numbered(insertionsOf(own, { tables, settings, limitations }));
  const http = [...inserted, ...own];
  const { [annotations.sourceVersion]: _version, ...others } = metadata.annotations ?? {};
  const versions = tables.map(({ service, version }) => `${service}=${version}`).sort();
  const changed = { ...others, ...(inserted.length > 0 && { [annotations.sourceVersion]: versions.join(",") }) };
  const isSame = isEqual(http, spec.http ?? []) && isEqual(changed, metadata.annotations ?? {});
  const updated = { ...virtualService, metadata: { ...metadata, annotations: changed }, spec: { ...spec, http } };
  return { virtualService: isSame ? undefined : updated, limitations: limitations.list() };
}

/** Reads the annotation with the versions of tables: versions by the names of Services. */
export function sourceVersions(text: string | undefined): ReadonlyMap<string, string> {
  const pairs = (text ?? "").split(",").map((part) => part.split("=", 2));
  return new Map(pairs.map(([service = "", version = ""]) => [service, version]));
}

function userRoutes(http: readonly IstioRoute[] = []): readonly IstioRoute[] {
  return http.filter(({ name = "" }) => !name.startsWith(istioRoutePrefix));
}

interface InsertionContext {
  readonly tables: readonly RouteTable[];
  readonly settings: RoutingSettings;
  readonly limitations: Limitations;
}

function insertionsOf(own: readonly IstioRoute[], context: InsertionContext): readonly IstioRoute[] {
  const { tables, limitations } = context;
  const last = own.findLastIndex((route) => tablesOf(route, tables).length > 0);
  // A route with a delegate cannot be copied with additional conditions, and requests of later routes might match the delegate.
  const delegate = own.findIndex((route) => route.delegate !== undefined);
  const isCut = delegate !== -1 && delegate < last;
  if (isCut)
    limitations.add("UserRouteUnsupported", { detail: `${own[delegate]?.name ?? `route ${delegate}`} delegates` });
  const considered = own.slice(0, isCut ? delegate : last + 1);
  return considered.flatMap((route, i) => insertionsFor(route, i, considered, context));
}

/** Returns the routes of all keys for one route of the user. */
function insertionsFor(
  source: IstioRoute,
  index: number,
  considered: readonly IstioRoute[],
  context: InsertionContext,
): readonly IstioRoute[] {
  const { tables, settings, limitations } = context;
  const origin = source.name ?? `route ${index}`;
  const matches = source.match === undefined || source.match.length === 0 ? [{}] : source.match;
  const found = tablesOf(source, tables);
  const [table] = found;
  if (found.length > 1) {
    limitations.add("UserRouteUnsupported", { detail: `${origin} routes to several Services with routes` });
    return considered.length === 1 ? [] : keysOf(tables).flatMap((key) => copyOf(source, matches, key, context));
  }
  const needsCopies = considered.some((route) => !isEqual(tablesOf(route, tables), found));
  const planned =
    table === undefined
      ? []
      : portsOf(source, table).map((port) => ({ port, keys: planRoutes(table, port, limitations) }));
  return keysOf(tables).flatMap((key) => {
    const derived = planned.flatMap(({ port, keys }) => {
      const known = keys.find((each) => each.key === key);
      if (table === undefined || known === undefined) return [];
      const inPort = portMatches(matches, source, table, port);
      return derive(source, inPort, known, { table, port, settings, limitations, origin });
    });
    return [...derived, ...(needsCopies ? copyOf(source, matches, key, context) : [])];
  });
}

function keysOf(tables: readonly RouteTable[]): readonly string[] {
  return [...new Set(tables.flatMap(({ entries }) => entries.map(({ routingKey }) => routingKey)))].sort();
}

/** Returns a copy of a route for requests with a key. */
function copyOf(
  source: IstioRoute,
  matches: readonly IstioMatch[],
  key: string,
  { settings }: InsertionContext,
): readonly IstioRoute[] {
  const keyed = withKey(matches, key, settings);
  return keyed.length === 0 ? [] : [{ ...source, match: keyed }];
}

/** Returns the tables of the Services that a route targets. */
function tablesOf({ route = [] }: IstioRoute, tables: readonly RouteTable[]): readonly RouteTable[] {
  return tables.filter((table) => route.some((each) => table.ports.some(({ port }) => leadsTo(each, table, port))));
}

function portsOf({ route = [] }: IstioRoute, table: RouteTable): readonly number[] {
  return table.ports.map(({ port }) => port).filter((port) => route.some((each) => leadsTo(each, table, port)));
}

/** Limits matches to a port if the destination of the route does not name one and the Service has several. */
function portMatches(
  matches: readonly IstioMatch[],
  { route = [] }: IstioRoute,
  table: RouteTable,
  port: number,
): readonly IstioMatch[] {
  const isNamed = route.some((each) => leadsTo(each, table, port) && each.destination.port?.number !== undefined);
  if (isNamed || table.ports.length === 1) return matches;
  return matches.filter((match) => (match.port ?? port) === port).map((match) => ({ ...match, port }));
}
