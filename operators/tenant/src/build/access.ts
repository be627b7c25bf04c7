import type { DeepReadonly } from "@homeostat/core";
import type { RoleBinding, Subject } from "@homeostat/kubernetes/rbac/v1";
import type { AccessSubject } from "../api/tenant.ts";
import type { AccessRole, Wanted } from "./resolved-tenant.ts";
import { type Made, metadataOf } from "./objects.ts";

const roles: readonly AccessRole[] = ["admin", "editor", "viewer"];
const rbacGroup = "rbac.authorization.k8s.io";

/** The ClusterRole that people with this role are bound to. */
export function accessClusterRole(role: AccessRole): string {
  return `neurallog-tenant-${role}`;
}

/** The binding of each role that somebody has. */
export function accessBindings(wanted: Wanted): Made<RoleBinding>[] {
  return roles
    .filter((role) => wanted.access[role].length > 0)
    .map((role) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: metadataOf(wanted, { name: `neurallog-${role}s`, component: "access" }),
      roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: accessClusterRole(role) },
      subjects: wanted.access[role].map((subject) => subjectOf(subject, wanted.namespace)),
    }));
}

function subjectOf({ kind, name, namespace }: DeepReadonly<AccessSubject>, home: string): DeepReadonly<Subject> {
  return kind === "ServiceAccount" ? { kind, name, namespace: namespace ?? home } : { apiGroup: rbacGroup, kind, name };
}
