import { formatTime, type JsonRecord, type Random, uuid } from "@homeostat/core";
import { aggregationChanges, isAggregated } from "../auth/rbac/aggregate.ts";
import { defaultPolicy } from "../auth/rbac/default-policy.ts";
import { rbacGroup, type RbacMeta, type RbacObject } from "../auth/rbac/objects.ts";
import { keyOf, keyPrefix } from "../resources/keys.ts";
import { encodeAtRevision } from "../registry/stored-object.ts";
import type { Store } from "../storage/store.ts";

const plurals: Readonly<Record<RbacObject["kind"], string>> = {
  Role: "roles",
  ClusterRole: "clusterroles",
  RoleBinding: "rolebindings",
  ClusterRoleBinding: "clusterrolebindings",
};

/**
 * Stores the default roles and bindings of a new cluster, exactly as the registry would store them.
 *
 * There are more than a hundred, and they need no validation, so they are written to the store directly to keep the
 * start fast.
 */
export function storeBootstrapPolicy(
  store: Store<JsonRecord>,
  { nowMs, random }: { nowMs: number; random: Random },
): void {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = defaultPolicy();
  const aggregatedRoles = new Map(aggregationChanges(clusterRoles).map((role) => [role.metadata.name, role]));
  const completeRoles = clusterRoles.map((role) => aggregatedRoles.get(role.metadata.name) ?? role);
  const time = formatTime(nowMs);
  for (const object of [...completeRoles, ...clusterRoleBindings, ...roles, ...roleBindings]) {
    const { name = "", namespace = "" } = object.metadata;
    const key = keyOf(keyPrefix(rbacGroup, plurals[object.kind]), namespace, name);
    store.create(key, encodeAtRevision(storedPolicy(object, { time, uid: uuid(random) })));
  }
}

function storedPolicy(object: RbacObject, { time, uid }: { time: string; uid: string }): JsonRecord {
  const { kind, metadata } = object;
  const apiVersion = `${rbacGroup}/v1`;
  const { name, namespace, labels = {}, annotations = {} } = metadata;
  const content = contentOf(object);
  const fields = Object.keys(content).filter((field) => field !== "rules" || !isAggregatedRole(object));
  const fieldsV1 = Object.fromEntries(
    ["metadata", ...fields].sort().map((field) => [`f:${field}`, fieldsOf(field, { annotations, labels })]),
  );
  const base = { apiVersion, time, fieldsType: "FieldsV1" };
  const manager = { manager: "kube-apiserver", operation: "Update", ...base, fieldsV1 };
  const aggregated = { manager: aggregationManager, operation: "Apply", ...base, fieldsV1: { "f:rules": {} } };
  const own = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid,
    resourceVersion: "0",
    creationTimestamp: time,
    labels: sorted(labels),
    annotations,
    managedFields: (isAggregatedRole(object) ? [aggregated, manager] : [manager]).map(inOrder),
  };
  return { kind, apiVersion, metadata: own, ...content };
}

/** Field manager of the rules of aggregated ClusterRoles. */
export const aggregationManager = "clusterrole-aggregation-controller";

function isAggregatedRole(object: RbacObject): boolean {
  return object.kind === "ClusterRole" && isAggregated(object);
}

function fieldsOf(
  field: string,
  { annotations, labels }: Pick<Required<RbacMeta>, "annotations" | "labels">,
): JsonRecord {
  if (field === "metadata") return { "f:annotations": keysOf(annotations), "f:labels": keysOf(labels) };
  return field === "aggregationRule" ? { ".": {}, "f:clusterRoleSelectors": {} } : {};
}

/** Returns a managedFields entry with its keys in the order of kube-apiserver. */
function inOrder({ manager, operation, apiVersion, time, fieldsType, fieldsV1 }: JsonRecord): JsonRecord {
  return { manager, operation, apiVersion, time, fieldsType, fieldsV1 };
}

function contentOf(object: RbacObject): JsonRecord {
  switch (object.kind) {
    case "Role":
      return { rules: object.rules };
    case "ClusterRole":
      return {
        rules: object.rules,
        ...(object.aggregationRule === undefined ? {} : { aggregationRule: object.aggregationRule }),
      };
    case "RoleBinding":
    case "ClusterRoleBinding":
      return { ...(object.subjects === undefined ? {} : { subjects: object.subjects }), roleRef: object.roleRef };
  }
}

function keysOf(map: Readonly<Record<string, string>>): JsonRecord {
  return { ".": {}, ...Object.fromEntries(Object.keys(sorted(map)).map((key) => [`f:${key}`, {}])) };
}

function sorted(map: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}
