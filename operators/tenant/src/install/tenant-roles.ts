import type { ClusterRole, PolicyRule } from "@homeostat/kubernetes/rbac/v1";
import { accessClusterRole } from "../build/access.ts";
import type { AccessRole } from "../build/resolved-tenant.ts";

const reading = ["get", "list", "watch"];
const writing = ["create", "delete", "deletecollection", "patch", "update"];

// No Secrets anywhere. Network policies, quotas, limits and bindings are only shown: policies add up, so who may write one
// can open the namespace.
const shown: PolicyRule[] = [
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
    verbs: reading,
  },
  { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
  { apiGroups: ["apps"], resources: ["daemonsets", "deployments", "replicasets", "statefulsets"], verbs: reading },
  { apiGroups: ["batch"], resources: ["cronjobs", "jobs"], verbs: reading },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: reading },
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: reading },
  { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: reading },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: reading },
];

const changed: PolicyRule[] = [
  { apiGroups: [""], resources: ["configmaps", "persistentvolumeclaims", "pods", "services"], verbs: writing },
  { apiGroups: ["apps"], resources: ["daemonsets", "deployments", "statefulsets"], verbs: writing },
  { apiGroups: ["apps"], resources: ["deployments/scale", "statefulsets/scale"], verbs: ["get", "patch", "update"] },
  { apiGroups: ["batch"], resources: ["cronjobs", "jobs"], verbs: writing },
];

const entered: PolicyRule[] = [
  { apiGroups: [""], resources: ["pods/attach", "pods/exec", "pods/portforward"], verbs: ["create", "get"] },
];

const rules: Readonly<Record<AccessRole, readonly PolicyRule[]>> = {
  admin: [...shown, ...changed, ...entered],
  editor: [...shown, ...changed],
  viewer: shown,
};

/**
 * The roles that tenants give to people in their namespaces, whose names the bindings know.
 *
 * Who may make pods can mount every Secret of the namespace into one; so editors are trusted with what the tenant keeps.
 */
export function tenantRoles(): ClusterRole[] {
  return (["admin", "editor", "viewer"] as const).map((role) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: accessClusterRole(role) },
    rules: [...rules[role]],
  }));
}
