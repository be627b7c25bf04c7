// The kinds that the controller manages and watches, and which tenant a change belongs to.

import type { DeepReadonly, KubeObject, ReconcileContext, ResourceType } from "homeostat";
import { managed, watched, when } from "homeostat";
import { controllerOf } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import {
  ConfigMap,
  LimitRange,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import type { CacheReader } from "@homeostat/runtime";
import { kind, labels, manager } from "../api/identity.ts";
import { tenantOfNamespace } from "../api/names.ts";
import { Tenant } from "../api/tenant.ts";
import { denyAllName } from "../build/network-policies.ts";

const managedSelector = `${labels.managedBy}=${manager}`;

/** Options of kinds that every tenant has. They are never pruned: workloads are missing from the desired objects only while they cannot start. */
const permanent = { labels: managedSelector, prune: false } as const;

/** The kinds of children. Those of an adopted namespace are deleted in reverse order: workloads before their isolation. */
export const owns = {
  resourceQuotas: managed(ResourceQuota, {
    labels: managedSelector,
    when: when.specChangedOr(({ status }) => status?.used),
  }),
  limitRanges: managed(LimitRange, { labels: managedSelector }),
  networkPolicies: managed(NetworkPolicy, {
    labels: managedSelector,
    pruneOrder: ({ metadata: a }, { metadata: b }) => Number(b.name === denyAllName) - Number(a.name === denyAllName),
  }),
  roleBindings: managed(RoleBinding, { labels: managedSelector }),
  serviceAccounts: managed(ServiceAccount, permanent),
  configMaps: managed(ConfigMap, permanent),
  // Read by name and never listed, so that the operator needs no permission to list Secrets.
  secrets: managed(Secret, { cached: false }),
  services: managed(Service, permanent),
  disruptionBudgets: managed(PodDisruptionBudget, {
    labels: managedSelector,
    when: when.specChangedOr(() => undefined),
  }),
  statefulSets: managed(StatefulSet, {
    ...permanent,
    when: when.specChangedOr(({ status }) => [
      status?.replicas,
      status?.readyReplicas,
      status?.updatedReplicas,
      status?.observedGeneration,
      status?.currentRevision,
      status?.updateRevision,
      status?.conditions,
    ]),
  }),
  deployments: managed(Deployment, {
    ...permanent,
    when: when.specChangedOr(({ status }) => [
      status?.replicas,
      status?.readyReplicas,
      status?.updatedReplicas,
      status?.observedGeneration,
      status?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
    ]),
  }),
};

export const childTypes: readonly ResourceType[] = Object.values(owns).map(({ type }) => type);

export const watches = {
  // All namespaces: any of them can take, or free, the name that a tenant needs.
  namespaces: watched(Namespace, {
    map: tenantsOfNamespace,
    indexes: { tenant: ({ metadata }) => metadata.labels?.[labels.tenant] },
    when: when.changed(
      ({ metadata: { uid, labels: marks, annotations, ownerReferences, deletionTimestamp }, status }) => [
        uid,
        marks,
        annotations,
        ownerReferences,
        deletionTimestamp,
        status?.phase,
        // Conditions report what blocks the deletion of a terminating namespace.
        status?.conditions?.map(({ type, status, message }) => [type, status, message]),
      ],
    ),
  }),
  claims: watched(PersistentVolumeClaim, {
    labels: managedSelector,
    map: tenantOf,
    when: when.changed(({ metadata: { uid }, spec, status }) => [
      uid,
      spec?.resources,
      status?.phase,
      status?.capacity,
    ]),
  }),
  pods: watched(Pod, {
    labels: managedSelector,
    map: tenantOf,
    // Nothing reads the specs of pods, which are the largest part of the cache.
    transform: (pod: Pod): Pod => ({ ...pod, spec: { containers: [] } }),
    when: when.changed(({ metadata: { uid, annotations, deletionTimestamp }, status }) => [
      uid,
      annotations,
      deletionTimestamp,
      status?.phase,
      status?.conditions?.map(({ type, status, reason }) => [type, status, reason]),
      status?.containerStatuses?.map(({ ready, restartCount, state }) => [ready, restartCount, state?.waiting?.reason]),
    ]),
  }),
};

/** The runtime's context of one reconcile. */
export type Context = ReconcileContext<Tenant, typeof owns, typeof watches, "namespace">;

/** Maps an object to the tenant that controls it, by uid, or else to the tenant that its label names. */
export function tenantOf(object: DeepReadonly<KubeObject>, cache: Pick<CacheReader, "get">): readonly string[] {
  const controller = controllerOf(object);
  if (controller?.kind === kind) {
    const isCurrent = cache.get(Tenant, controller.name)?.metadata.uid === controller.uid;
    return isCurrent ? [controller.name] : [];
  }
  const name = object.metadata.labels?.[labels.tenant] ?? "";
  return name === "" ? [] : [name];
}

/** Maps a namespace to the tenant that needs its name, and to those that it is, or was, the namespace of. */
export function tenantsOfNamespace(
  namespace: DeepReadonly<Namespace>,
  cache: Pick<CacheReader, "get" | "by">,
): readonly string[] {
  const { name = "" } = namespace.metadata;
  const byName = tenantOfNamespace(name);
  const byStatus = cache.by(Tenant, "namespace", name).map(({ metadata }) => metadata.name);
  return [...tenantOf(namespace, cache), ...(byName === undefined ? [] : [byName]), ...byStatus];
}
