// The kinds that the controller of takeovers watches, and the tables that a change affects.

import { type ReconcileContext, watched, when } from "homeostat";
import { type DeepReadonly, hasFinalizer, keyOf, type KubeObject } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import type { CacheReader, OwnedKinds } from "@homeostat/runtime";
import { fieldManager, finalizers, labels } from "../api/identity.ts";
import { proxyName } from "../api/names.ts";
import { type CachedRouteTable, RouteTable } from "../api/route-table.ts";

/** Selects the Deployments of proxies. */
export const proxyDeployments = {
  labels: `${labels.managedBy}=${fieldManager}`,
  fields: `metadata.name=${proxyName}`,
} as const;

export const takeoverWatches = {
  services: watched(Service, {
    map: tableOfService,
    when: when.changed(({ metadata: { uid, annotations, deletionTimestamp }, spec }) => [
      uid,
      annotations,
      deletionTimestamp,
      spec,
    ]),
  }),
  networkPolicies: watched(NetworkPolicy, {
    map: ({ metadata: { namespace = "" } }, cache) => tablesUsingProxy(namespace, cache).map(keyOf),
    when: when.specChangedOr(() => undefined),
  }),
  proxies: watched(Deployment, {
    ...proxyDeployments,
    map: ({ metadata: { namespace = "" } }, cache) => tablesUsingProxy(namespace, cache).map(keyOf),
    when: when.specChangedOr(({ status }) => status?.readyReplicas),
  }),
};

export type TakeoverContext = ReconcileContext<RouteTable, OwnedKinds, typeof takeoverWatches, never>;

/** Returns the tables of a namespace whose Services use its proxy, or soon will. */
export function tablesUsingProxy(namespace: string, cache: CacheReader): readonly CachedRouteTable[] {
  return cache.list(RouteTable, { namespace }).filter(usesProxy);
}

export function usesProxy(table: CachedRouteTable): boolean {
  return hasFinalizer(table, finalizers.takeover);
}

/** A table has the name of its Service. The Service that selects the baseline pods is owned by the Service that is taken over. */
function tableOfService({ metadata: { namespace = "", name = "", ownerReferences = [] } }: DeepReadonly<KubeObject>) {
  const owner = ownerReferences.find(({ kind }) => kind === "Service");
  return [`${namespace}/${owner?.name ?? name}`];
}
