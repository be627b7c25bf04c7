// The kinds that the controller of LocalWorkloads watches, and the LocalWorkloads that a change affects.

import { type ReconcileContext, watched, when } from "homeostat";
import { type DeepReadonly, keyOf, type KubeObject } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import type { CacheReader, OwnedKinds } from "@homeostat/runtime";
import { fieldManager } from "../api/identity.ts";
import { LocalWorkload } from "../api/local-workload.ts";
import { RouteTable } from "../api/route-table.ts";
import { Sandbox } from "../api/sandbox.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { sliceManagerLabel } from "../build/local-objects.ts";

const workloadChanged = when.changed(({ metadata: { uid, generation } }: DeepReadonly<KubeObject>) => [
  uid,
  generation,
]);

/** The watches of the controller of LocalWorkloads. */
export const localWatches = {
  sandboxes: watched(Sandbox, {
    map: (sandbox, cache) => {
      const { namespace = "", name } = sandbox.metadata;
      const workloads = cache.list(LocalWorkload, { namespace });
      return workloads.filter(({ spec }) => spec.sandboxRef.name === name).map(keyOf);
    },
    when: when.changed(({ metadata: { uid, deletionTimestamp }, spec, status }) => [
      uid,
      deletionTimestamp,
      spec.services,
      status?.routingKey,
      // The Services of its entries, which LocalWorkloads replace.
      status?.services?.map(({ name, services }) => [name, services?.map(({ baseline }) => baseline)]),
    ]),
  }),
  services: watched(Service, {
    map: inNamespaceOf,
    when: when.changed(({ metadata: { uid }, spec }) => [uid, spec?.selector, spec?.ports]),
  }),
  deployments: watched(Deployment, { map: inNamespaceOf, when: workloadChanged }),
  statefulSets: watched(StatefulSet, { map: inNamespaceOf, when: workloadChanged }),
  policies: watched(SandboxPolicy, { map: inNamespaceOf, when: when.generationChanged() }),
  namespaces: watched(Namespace, {
    metadataOnly: true,
    map: ({ metadata: { name } }, cache) => workloadsUsing(name, cache),
    when: when.changed(({ metadata: { uid, labels } }) => [uid, labels]),
  }),
  tables: watched(RouteTable, {
    map: inNamespaceOf,
    // Confirmations of proxies are in the status.
    when: when.changed(({ metadata: { uid }, spec, status }) => [
      uid,
      spec.version,
      status?.replicas,
      status?.listenPorts,
      status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
    ]),
  }),
  slices: watched(EndpointSlice, {
    labels: `${sliceManagerLabel}=${fieldManager}`,
    map: inNamespaceOf,
    when: when.changed(({ metadata: { uid, labels: marks }, endpoints, ports }) => [uid, marks, endpoints, ports]),
  }),
};

/** The runtime's context of one reconcile of a LocalWorkload. */
export type LocalContext = ReconcileContext<LocalWorkload, OwnedKinds, typeof localWatches, never>;

function inNamespaceOf({ metadata }: DeepReadonly<KubeObject>, cache: CacheReader): readonly string[] {
  return workloadsUsing(metadata.namespace ?? "", cache);
}

/** Returns the LocalWorkloads in a namespace, and those that name a workload in it. */
function workloadsUsing(namespace: string, cache: CacheReader): readonly string[] {
  return cache
    .list(LocalWorkload)
    .filter(({ metadata, spec }) =>
      [metadata.namespace, spec.service.targetRef?.namespace].some((each) => each === namespace),
    )
    .map(keyOf);
}
