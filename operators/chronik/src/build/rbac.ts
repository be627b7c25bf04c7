import type { PolicyRule, Role, RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import type { ServiceAccount } from "@homeostat/kubernetes/core/v1";
import type { Component } from "../api/identity.ts";
import { names } from "../api/names.ts";
import { type ChildObject, metadataOf } from "./metadata.ts";
import type { ResolvedCluster } from "./resolve.ts";

/** Builds the ServiceAccount of a component's pods. Its token is mounted only if the spec asks for it. */
export function serviceAccount(resolved: ResolvedCluster, component: Component): ChildObject<ServiceAccount> {
  return {
    metadata: metadataOf(resolved, { name: names.component(resolved.name, component), component }),
    automountServiceAccountToken: false,
  };
}

/**
 * Builds the Role of a component's pods. It permits them to read their own configuration and the locations of the other
 * members.
 */
export function role(resolved: ResolvedCluster, component: Component): ChildObject<Role> {
  const { name } = resolved;
  const rules: PolicyRule[] = [
    {
      apiGroups: [""],
      resources: ["configmaps"],
      resourceNames: [names.config(name), names.componentConfig(name, component)],
      verbs: ["get"],
    },
    { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["get", "list", "watch"] },
    ...(component === "controller" ? [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }] : []),
  ];
  return { metadata: metadataOf(resolved, { name: names.component(name, component), component }), rules };
}

export function roleBinding(resolved: ResolvedCluster, component: Component): ChildObject<RoleBinding> {
  const name = names.component(resolved.name, component);
  return {
    metadata: metadataOf(resolved, { name, component }),
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: resolved.namespace }],
  };
}
