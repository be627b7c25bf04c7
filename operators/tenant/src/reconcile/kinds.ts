// What the controller watches, and which tenant a change belongs to.

import type { DeepReadonly, KubeObject, ReconcileContext, ResourceType } from "homeostat";
import { watched, when } from "homeostat";
import { controllerOf, type Stored } from "@homeostat/core";
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
import type { CacheReader, OwnedKinds, Predicate } from "@homeostat/runtime";
import { labels, manager } from "../api/identity.ts";
import { tenantOfNamespace } from "../api/names.ts";
import { Tenant } from "../api/tenant.ts";
import { isTenantReference } from "../ownership/owned.ts";

const ours = `${labels.managedBy}=${manager}`;

/** Watches the children of a kind by label. Secrets are read by name and never watched. */
function child<T extends KubeObject>(type: ResourceType<T>, status: (object: Stored<T>) => unknown = () => undefined) {
  return watched(type, { labels: ours, map: tenantOf, when: specChangedOr(status) });
}

/** Passes changes of anything but the status and server-set metadata, and of the given part of the status. */
function specChangedOr<T extends KubeObject>(part: (object: Stored<T>) => unknown): Predicate<T> {
  return when.changed((object: Stored<T>) => {
    const { resourceVersion: _version, managedFields: _fields, generation: _generation, ...metadata } = object.metadata;
    const { status: _status, ...rest }: DeepReadonly<KubeObject> & { readonly status?: unknown } = object;
    return [{ ...rest, metadata }, part(object)];
  });
}

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
  statefulSets: child(StatefulSet, ({ status }) => [
    status?.replicas,
    status?.readyReplicas,
    status?.updatedReplicas,
    status?.observedGeneration,
    status?.currentRevision,
    status?.updateRevision,
    status?.conditions,
  ]),
  deployments: child(Deployment, ({ status }) => [
    status?.replicas,
    status?.readyReplicas,
    status?.updatedReplicas,
    status?.observedGeneration,
    status?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
  ]),
  services: child(Service),
  configMaps: child(ConfigMap),
  serviceAccounts: child(ServiceAccount),
  networkPolicies: child(NetworkPolicy),
  resourceQuotas: child(ResourceQuota, ({ status }) => status?.used),
  limitRanges: child(LimitRange),
  roleBindings: child(RoleBinding),
  disruptionBudgets: child(PodDisruptionBudget),
  claims: watched(PersistentVolumeClaim, {
    labels: ours,
    map: tenantOf,
    when: when.changed(({ metadata: { uid }, spec, status }) => [
      uid,
      spec?.resources,
      status?.phase,
      status?.capacity,
    ]),
  }),
  pods: watched(Pod, {
    labels: ours,
    map: tenantOf,
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
export type Context = ReconcileContext<Tenant, OwnedKinds, typeof watches, "namespace">;

/** The kinds of children, workloads first. */
export const childTypes: readonly ResourceType[] = [
  StatefulSet,
  Deployment,
  Service,
  ConfigMap,
  Secret,
  ServiceAccount,
  NetworkPolicy,
  ResourceQuota,
  LimitRange,
  RoleBinding,
  PodDisruptionBudget,
];

/** The kinds of children that a change of the spec can make undesired. */
export const prunedTypes: readonly ResourceType[] = [
  NetworkPolicy,
  ResourceQuota,
  LimitRange,
  RoleBinding,
  PodDisruptionBudget,
];

/** Maps an object to the tenant that controls it, by uid, or else to the tenant that its label names. */
export function tenantOf(object: DeepReadonly<KubeObject>, cache: Pick<CacheReader, "get">): readonly string[] {
  const controller = controllerOf(object);
  if (controller !== undefined && isTenantReference(controller)) {
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
