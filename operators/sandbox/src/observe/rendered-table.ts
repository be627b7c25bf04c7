// A RouteTable in the form that renderers read.

import { parseTable, type RouteTable as Table, type RoutingSettings } from "@homeostat/routing";
import type { CachedRouteGroup } from "../api/route-group.ts";
import type { CachedRouteTable } from "../api/route-table.ts";
import { groupHeadersOf } from "../routes/group-headers.ts";
import type { OperatorConfig } from "../settings/config.ts";

/** The label of EndpointSlices with the name of their Service. */
export const serviceNameLabel = "kubernetes.io/service-name";

/**
 * Returns the table of an object. A workload that falls back to the baseline gets an empty list of addresses while it is not ready: a mesh has no
 * such fallback, so its route is omitted. Other addresses stay undefined, because the mesh resolves them.
 */
export function renderedTable({ metadata, spec }: CachedRouteTable, isReady: (service: string) => boolean): Table {
  const entries = spec.entries.map((entry) => ({
    ...entry,
    ports: entry.ports.map((port) =>
      entry.onUnavailable === "Baseline" && !isReady(port.targetService) ? { ...port, addresses: [] } : port,
    ),
  }));
  const { table, problems } = parseTable({ ...spec, namespace: metadata.namespace ?? "", entries });
  const [problem] = problems;
  if (table === undefined) throw new Error(`the table cannot be read: ${JSON.stringify(problem)}`);
  return table;
}

interface SliceEndpoints {
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[];
}

/** Reports whether a Service has a ready endpoint in these slices. */
export function hasReadyEndpoint(slices: readonly SliceEndpoints[]): boolean {
  return slices.some(({ endpoints }) => (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false));
}

/** Returns the routing settings with the headers of all groups. */
export function routingSettings({ routing }: OperatorConfig, groups: readonly CachedRouteGroup[]): RoutingSettings {
  const owners = groups.map(({ metadata, spec, status }) => ({
    routingKey: status?.routingKey,
    routeKeys: spec.routes.flatMap(({ routingKey }) => routingKey ?? []),
    routingKeyHeader: spec.routingKeyHeader,
    isDeleting: metadata.deletionTimestamp !== undefined,
  }));
  return { ...routing, groupHeaders: groupHeadersOf(owners) };
}
