// The kinds that the controller manages and watches, and which cluster a change belongs to.

import type { ResourceType } from "@homeostat/core";
import { created, type DeepReadonly, type KubeObject, managed, type ReconcileContext, watched, when } from "homeostat";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { HorizontalPodAutoscaler } from "@homeostat/kubernetes/autoscaling/v2";
import { ConfigMap, PersistentVolumeClaim, Pod, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { Role, RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import type { ChronikCluster } from "../api/chronik-cluster.ts";
import { ChronikNodeGroup } from "../api/chronik-node-group.ts";
import { fieldManager } from "../api/identity.ts";
import { labels } from "../api/labels.ts";

/** The selector of every watch except the one on ChronikClusters. It keeps the caches small. */
const ours = { labels: `${labels.managedBy}=${fieldManager}` } as const;

const withoutStatus = when.specChangedOr(() => undefined);

/** The kinds of objects of a cluster. Objects that are no longer desired are deleted in reverse order. */
export const owns = {
  serviceAccounts: managed(ServiceAccount, ours),
  roles: managed(Role, ours),
  roleBindings: managed(RoleBinding, ours),
  configMaps: managed(ConfigMap, ours),
  networkPolicies: managed(NetworkPolicy, ours),
  // A Service cannot become headless.
  services: managed(Service, { ...ours, replaceOn: ["spec.clusterIP"] }),
  // Never pruned: a StatefulSet is missing from the desired objects only while it must not change. If an immutable field differs, it is deleted without
  // its pods and created again with them.
  statefulSets: managed(StatefulSet, {
    ...ours,
    prune: false,
    replaceOn: ["spec.serviceName", "spec.podManagementPolicy"],
    propagation: "Orphan",
  }),
  deployments: managed(Deployment, ours),
  endpointSlices: managed(EndpointSlice, ours),
  disruptionBudgets: managed(PodDisruptionBudget, { ...ours, when: withoutStatus }),
  // Created once: autoscalers own `spec.replicas` from then on.
  nodeGroups: created(ChronikNodeGroup, { ...ours, deletes: true, when: when.generationChanged() }),
  autoscalers: managed(HorizontalPodAutoscaler, { ...ours, when: withoutStatus }),
};

/** The kinds of objects of a cluster, in the order in which they are applied. */
export const childTypes: readonly ResourceType[] = Object.values(owns).map(({ type }) => type);

/**
 * Index of pods and claims by cluster. A list by label would visit all of a namespace several times in each reconcile, and a namespace may contain
 * hundreds of clusters.
 */
const byCluster = {
  cluster: ({ metadata: { namespace = "", labels: marks } }: DeepReadonly<KubeObject>): string | undefined => {
    const name = marks?.[labels.cluster];
    return name === undefined ? undefined : clusterIndexValue(namespace, name);
  },
};

/** Returns the value of the index `cluster` of pods and claims. */
export function clusterIndexValue(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

export const watches = {
  claims: watched(PersistentVolumeClaim, {
    ...ours,
    map: clusterOf,
    indexes: byCluster,
    when: when.changed(({ metadata: { uid, labels: marks, annotations, deletionTimestamp }, spec, status }) => [
      uid,
      marks,
      annotations,
      deletionTimestamp,
      spec?.resources,
      status?.phase,
      status?.capacity,
      status?.conditions?.map(({ type, status: is }) => [type, is]),
    ]),
  }),
  pods: watched(Pod, {
    ...ours,
    map: clusterOf,
    indexes: byCluster,
    // The specs of pods are the largest part of the cache; only the node and the mounted claims are read.
    transform: (pod: Pod): Pod => ({ ...pod, spec: trimmedSpec(pod) }),
    when: when.changed(
      ({ metadata: { uid, labels: marks, annotations, deletionTimestamp, ownerReferences }, status }) => [
        uid,
        marks,
        annotations,
        deletionTimestamp,
        ownerReferences,
        status?.phase,
        status?.podIP,
        status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
        status?.containerStatuses?.map(({ ready, restartCount, state }) => [
          ready,
          restartCount,
          state?.waiting?.reason,
        ]),
      ],
    ),
  }),
};

function trimmedSpec({ spec }: Pod): NonNullable<Pod["spec"]> {
  const claims = (spec?.volumes ?? []).filter(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined);
  return {
    containers: [],
    ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }),
    ...(claims.length > 0 && { volumes: claims }),
  };
}

/** The runtime's context of one reconcile. */
export type Context = ReconcileContext<ChronikCluster, typeof owns, typeof watches, never>;

/** Maps a pod or a claim to the cluster that its label names. */
export function clusterOf({ metadata }: DeepReadonly<KubeObject>): readonly string[] {
  const name = metadata.labels?.[labels.cluster] ?? "";
  return name === "" ? [] : [`${metadata.namespace ?? ""}/${name}`];
}
