import type { ClusterRole, PolicyRule } from "@homeostat/kubernetes/rbac/v1";
import { forkAccess, group } from "../api/identity.ts";

const read = ["get", "list", "watch"];
const write = ["create", "delete", "patch", "update"];

const viewing: PolicyRule = {
  apiGroups: [group],
  resources: ["localworkloads", "previewlinks", "routegroups", "routetables", "sandboxes", "sandboxpolicies"],
  verbs: read,
};

const developing: PolicyRule = {
  apiGroups: [group],
  resources: ["localworkloads", "previewlinks", "routegroups", "sandboxes"],
  verbs: write,
};

const administering: PolicyRule = { apiGroups: [group], resources: ["sandboxpolicies"], verbs: write };

// A fork runs code with the ServiceAccount of its baseline. The webhook therefore requires this permission, or permission to
// create Deployments, in the namespace of the target. No RouteTables: only the operator writes them.
const forking: PolicyRule = {
  apiGroups: [group],
  resources: [`${forkAccess.resource}/${forkAccess.subresource}`],
  verbs: [forkAccess.verb],
};

const rules: Readonly<Record<string, readonly PolicyRule[]>> = {
  "sandbox-viewer": [viewing],
  "sandbox-developer": [viewing, developing],
  "sandbox-admin": [viewing, developing, administering],
  "sandbox-creator": [forking],
};

/**
 * Builds the ClusterRoles for users. A developer needs two of them: sandbox-developer in the namespace of the sandboxes, and
 * sandbox-creator in each namespace whose workloads may be forked, unless the developer may create Deployments there.
 */
export function sandboxRoles(): ClusterRole[] {
  return Object.entries(rules).map(([name, ofRole]) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name },
    rules: [...ofRole],
  }));
}
