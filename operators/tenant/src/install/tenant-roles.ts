import type { ClusterRole, PolicyRule } from "@homeostat/kubernetes/rbac/v1";
import { accessClusterRole, accessRoles } from "../build/namespace.ts";
import type { AccessRole } from "../build/resolve.ts";

const read = ["get", "list", "watch"];
const write = ["create", "delete", "deletecollection", "patch", "update"];

// No role can read Secrets. Network policies, quotas, limits and bindings are read-only: policies are additive, so a user who may
// write one can open the namespace.
const viewing: PolicyRule[] = [
  {
    apiGroups: [""],
    resources: [
      "configmaps",
      "endpoints",
      "events",
      "limitranges",
      "persistentvolumeclaims",
      "pods",
      "pods/status",
      "resourcequotas",
      "serviceaccounts",
      "services",
    ],
    verbs: read,
  },
  { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
  { apiGroups: ["apps"], resources: ["daemonsets", "deployments", "replicasets", "statefulsets"], verbs: read },
  { apiGroups: ["batch"], resources: ["cronjobs", "jobs"], verbs: read },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: read },
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: read },
  { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: read },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: read },
];

const editing: PolicyRule[] = [
  { apiGroups: [""], resources: ["configmaps", "persistentvolumeclaims", "pods", "services"], verbs: write },
  { apiGroups: ["apps"], resources: ["daemonsets", "deployments", "statefulsets"], verbs: write },
  { apiGroups: ["apps"], resources: ["deployments/scale", "statefulsets/scale"], verbs: ["get", "patch", "update"] },
  { apiGroups: ["batch"], resources: ["cronjobs", "jobs"], verbs: write },
];

const entering: PolicyRule[] = [
  { apiGroups: [""], resources: ["pods/attach", "pods/exec", "pods/portforward"], verbs: ["create", "get"] },
];

const rules: Readonly<Record<AccessRole, readonly PolicyRule[]>> = {
  admin: [...viewing, ...editing, ...entering],
  editor: [...viewing, ...editing],
  viewer: viewing,
};

/**
 * Builds the ClusterRoles that the role bindings of tenants refer to.
 *
 * Users who may create pods can mount every Secret of the namespace, so editors have access to the tenant's data.
 */
export function tenantRoles(): ClusterRole[] {
  return accessRoles.map((role) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: accessClusterRole(role) },
    rules: [...rules[role]],
  }));
}
