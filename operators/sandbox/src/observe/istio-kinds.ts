// The kinds that the controllers of Istio own and watch.

import { managed, type ReconcileContext, watched, when } from "homeostat";
import type { DeepReadonly } from "@homeostat/core";
import type { CacheReader, OwnedKinds } from "@homeostat/runtime";
import { annotations, fieldManager, labels } from "../api/identity.ts";
import { RouteGroup } from "../api/route-group.ts";
import { RouteTable } from "../api/route-table.ts";
import { VirtualService, type VirtualServiceObject } from "./mesh-kinds.ts";
import { headerOf, meshWatches, slicesFor, tablesOfNamespace } from "./mesh-watches.ts";

export const istioOwns = { virtualServices: managed(VirtualService) };

/** Routes and the annotations that the operator reads and writes. */
const routesChanged = when.changed(({ metadata, spec }: DeepReadonly<VirtualServiceObject>) => [
  metadata.uid,
  metadata.annotations?.[annotations.ignore],
  metadata.annotations?.[annotations.sourceVersion],
  spec?.http,
]);

export const istioWatches = {
  ...meshWatches,
  userVirtualServices: watched(VirtualService, { map: tablesOfNamespace, when: routesChanged }),
};

/** Watches of the controller whose primary objects are the VirtualServices of users. */
export const insertionWatches = {
  groups: watched(RouteGroup, {
    map: (_group, cache: CacheReader) => cache.list(VirtualService).map(keyOfService),
    when: when.changed((group) => headerOf(group)),
  }),
  slices: slicesFor((tables, cache) => {
    const namespaces = new Set(tables.map(({ metadata }) => metadata.namespace ?? ""));
    return [...namespaces].flatMap((namespace) => cache.list(VirtualService, { namespace }).map(keyOfService));
  }),
  tables: watched(RouteTable, {
    map: ({ metadata: { namespace = "" } }, cache: CacheReader) =>
      cache.list(VirtualService, { namespace }).map(keyOfService),
    when: when.changed(({ metadata: { uid }, spec }) => [uid, spec.version, spec.interception]),
  }),
};

function keyOfService({ metadata }: DeepReadonly<VirtualServiceObject>): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** The runtime's context of one reconcile of a VirtualService of a user. */
export type InsertionContext = ReconcileContext<VirtualServiceObject, OwnedKinds, typeof insertionWatches, never>;

/** Reports whether a VirtualService belongs to the operator as a whole. */
export function isOwnService({ metadata }: DeepReadonly<VirtualServiceObject>): boolean {
  return metadata.labels?.[labels.managedBy] === fieldManager;
}

/** The runtime's context of one reconcile of a table. */
export type IstioContext = ReconcileContext<RouteTable, typeof istioOwns, typeof istioWatches, never>;
