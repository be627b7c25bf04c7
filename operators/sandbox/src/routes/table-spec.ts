// The RouteTable object that stores a compiled table.

import { withoutUndefined } from "@homeostat/core";
import type {
  EntryMatch,
  EntryMiddleware,
  Fault,
  PathMatch,
  RouteEntry,
  RouteTable as Table,
} from "@homeostat/routing";
import type { RouteTableSpec, TableEntry } from "../api/route-table.ts";

type MatchSpec = NonNullable<TableEntry["match"]>;
type MiddlewareSpec = NonNullable<TableEntry["middleware"]>;
type FaultSpec = NonNullable<MiddlewareSpec["faults"]>[number];
type PathSpec = NonNullable<MatchSpec["paths"]>[number];

/** Returns the spec of a RouteTable. Addresses of targets are not part of it. */
export function routeTableSpec({
  service,
  ports,
  entries,
  interception = "Takeover",
  restoreKeys,
  version,
}: Table): RouteTableSpec {
  return {
    service,
    ports: ports.map(({ port, baselineTarget, name, appProtocol, targetPort }) => ({
      port,
      baselineTarget,
      ...withoutUndefined({ name, appProtocol, targetPort }),
    })),
    entries: entries.map(entrySpec),
    interception,
    ...withoutUndefined({ restoreKeys }),
    version,
  };
}

function entrySpec({ match, additionalHeaders, ports, middleware, ...entry }: RouteEntry): TableEntry {
  const { routingKey, sandbox, workload, source, ...optional } = entry;
  return {
    routingKey,
    sandbox,
    workload,
    source,
    ...withoutUndefined(optional),
    ...(match && { match: matchSpec(match) }),
    ...(additionalHeaders && { additionalHeaders: { ...additionalHeaders } }),
    ports: ports.map(({ port, targetService, targetPort }) => ({ port, targetService, targetPort })),
    ...(middleware && { middleware: middlewareSpec(middleware) }),
  };
}

function matchSpec({ paths, methods, headers }: EntryMatch): MatchSpec {
  return {
    ...(paths && { paths: paths.map(pathSpec) }),
    ...(methods && { methods: [...methods] }),
    ...(headers && { headers: headers.map(({ name, value }) => ({ name, value })) }),
  };
}

function middlewareSpec({ record, accessLog, faults }: EntryMiddleware): MiddlewareSpec {
  return { ...withoutUndefined({ record, accessLog }), ...(faults && { faults: faults.map(faultSpec) }) };
}

function faultSpec({ paths, methods, ...effect }: Fault): FaultSpec {
  return { ...withoutUndefined(effect), ...matchSpec({ paths, methods }) };
}

function pathSpec(path: PathMatch): PathSpec {
  return { ...path };
}
