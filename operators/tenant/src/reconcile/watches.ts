// What the controller of tenants follows, and which tenant a change is about: section 15.

import { controllerOf, type DeepReadonly, type KubeObject, type ResourceType, type Stored } from "@homeostat/core";
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
import {
  type CacheReader,
  type OwnedKinds,
  type Predicate,
  type ReconcileContext,
  watched,
  when,
} from "@homeostat/runtime";
import { labels, manager } from "../api/identity.ts";
import { tenantOfNamespace } from "../api/names.ts";
import { Tenant } from "../api/tenant.ts";
import { isTenantReference } from "../ownership/owned.ts";

const ours = `${labels.managedBy}=${manager}`;

/** The children of a tenant are told from everything else by a label; Secrets are read one by one and never followed. */
function child<T extends KubeObject>(type: ResourceType<T>, also: (object: Stored<T>) => unknown = () => undefined) {
  return watched(type, { labels: ours, map: tenantOf, when: saidOrAlso(also) });
}

/** Whether something was said about an object by whoever writes it, or changed in what is picked from it. */
function saidOrAlso<T extends KubeObject>(also: (object: Stored<T>) => unknown): Predicate<T> {
  return when.changed((object: Stored<T>) => {
    const { resourceVersion: _version, managedFields: _fields, generation: _generation, ...metadata } = object.metadata;
    const { status: _status, ...said }: DeepReadonly<KubeObject> & { readonly status?: unknown } = object;
    return [{ ...said, metadata }, also(object)];
  });
}

/** Everything that the controller reads beside tenants. */
export const watches = {
  // Any namespace may take, or free, the name that a tenant needs.
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
        // Of one that is on its way out: what it says about why it is not gone.
        status?.conditions?.map(({ type, status: is, message }) => [type, is, message]),
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
    status?.conditions?.map(({ type, status: is, reason, message }) => [type, is, reason, message]),
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
      status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
      status?.containerStatuses?.map(({ ready, restartCount, state }) => [ready, restartCount, state?.waiting?.reason]),
    ]),
  }),
};

/** What one pass over a tenant has to work with. */
export type Context = ReconcileContext<Tenant, OwnedKinds, typeof watches, "namespace">;

/** The kinds of which objects are made in the namespace of a tenant, by kind. */
export const childTypes: ReadonlyMap<string, ResourceType> = new Map<string, ResourceType>(
  [
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
  ].map((type) => [type.kind, type]),
);

/** The kinds of which objects may be wanted no more while the tenant lives on. */
export const prunedKinds = [
  "NetworkPolicy",
  "ResourceQuota",
  "LimitRange",
  "RoleBinding",
  "PodDisruptionBudget",
] as const;

/** What the cache has of a child; undefined for a kind that is not followed. */
export function cachedChild(
  { cache }: Pick<Context, "cache">,
  type: ResourceType,
  key: { readonly namespace: string; readonly name: string },
): Stored<KubeObject> | undefined {
  return type.kind === Secret.kind ? undefined : cache.get(type, { namespace: key.namespace, name: key.name });
}

/** The tenant that an object belongs to: the one that controls it, by uid, or else the one that its label names. */
export function tenantOf(object: DeepReadonly<KubeObject>, cache: Pick<CacheReader, "get">): readonly string[] {
  const controller = controllerOf(object);
  if (controller !== undefined && isTenantReference(controller)) {
    const isCurrent = cache.get(Tenant, controller.name)?.metadata.uid === controller.uid;
    return isCurrent ? [controller.name] : [];
  }
  const name = object.metadata.labels?.[labels.tenant] ?? "";
  return name === "" ? [] : [name];
}

/** The tenants that a namespace matters to: the one whose name it takes, and those that it is, or was, made for. */
export function tenantsOfNamespace(
  namespace: DeepReadonly<Namespace>,
  cache: Pick<CacheReader, "get" | "by">,
): readonly string[] {
  const { name = "" } = namespace.metadata;
  const byName = tenantOfNamespace(name);
  const settled = cache.by(Tenant, "namespace", name).map(({ metadata }) => metadata.name);
  return [...tenantOf(namespace, cache), ...(byName === undefined ? [] : [byName]), ...settled];
}
