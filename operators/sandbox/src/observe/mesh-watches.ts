// The kinds that the mesh controllers watch, and the tables that a change affects.

import { watched, when } from "homeostat";
import type { DeepReadonly, KubeObject } from "@homeostat/core";
import { Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import type { CacheReader } from "@homeostat/runtime";
import { type CachedRouteGroup, RouteGroup } from "../api/route-group.ts";
import { type CachedRouteTable, RouteTable } from "../api/route-table.ts";
import { serviceNameLabel } from "./rendered-table.ts";

/** Returns the fields of a group that its header depends on. */
export function headerOf({ metadata: { uid, deletionTimestamp }, spec, status }: CachedRouteGroup): unknown {
  const keys = spec.routes.map(({ routingKey }) => routingKey);
  return [uid, deletionTimestamp, spec.routingKeyHeader, keys, status?.routingKey];
}

/** Watches of everything that rendered routes depend on besides the table and routes of users. */
export const meshWatches = {
  services: watched(Service, {
    map: ({ metadata: { namespace = "", name } }) => [`${namespace}/${name}`],
    when: when.changed(({ metadata: { uid }, spec }) => [uid, spec?.clusterIP, spec?.selector]),
  }),
  // Only the headers of groups are read. They affect all tables.
  groups: watched(RouteGroup, {
    map: (_group, cache) => meshTables(cache).map(keyOfTable),
    when: when.changed((group) => headerOf(group)),
  }),
  slices: slicesFor((tables) => tables.map(keyOfTable)),
};

/** Watches endpoints. Only tables with a workload that falls back to the baseline depend on them; `keysOf` returns the keys to reconcile. */
export function slicesFor(keysOf: (tables: readonly CachedRouteTable[], cache: CacheReader) => readonly string[]) {
  return watched(EndpointSlice, {
    project: ["endpoints"],
    indexes: {
      service: ({ metadata }) => `${metadata.namespace ?? ""}/${metadata.labels?.[serviceNameLabel] ?? ""}`,
    },
    map: ({ metadata: { namespace = "", labels } }, cache) => {
      const tables = meshTables(cache, namespace);
      return keysOf(
        tables.filter((table) => dependsOnReadiness(table, labels?.[serviceNameLabel])),
        cache,
      );
    },
  });
}

/** Returns the tables whose requests a mesh routes. */
export function meshTables(cache: CacheReader, namespace?: string): readonly CachedRouteTable[] {
  const query = namespace === undefined ? {} : { namespace };
  return cache.list(RouteTable, query).filter(({ spec }) => spec.interception === "Mesh");
}

export function keyOfTable({ metadata }: CachedRouteTable): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** Maps an object to all tables of its namespace that a mesh serves. */
export function tablesOfNamespace(
  { metadata: { namespace = "" } }: DeepReadonly<KubeObject>,
  cache: CacheReader,
): readonly string[] {
  return meshTables(cache, namespace).map(keyOfTable);
}

function dependsOnReadiness({ spec }: CachedRouteTable, service: string | undefined): boolean {
  return spec.entries.some(
    ({ onUnavailable, ports }) =>
      onUnavailable === "Baseline" && ports.some(({ targetService }) => targetService === service),
  );
}
