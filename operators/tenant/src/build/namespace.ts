// The namespace of a tenant, and the objects that limit what runs in it and who may use it.

import type { DeepReadonly } from "homeostat";
import { podSecurityLabelPrefix } from "@homeostat/core";
import type { LimitRange, Namespace, ResourceQuota } from "@homeostat/kubernetes/core/v1";
import type { RoleBinding, Subject } from "@homeostat/kubernetes/rbac/v1";
import { names } from "../api/names.ts";
import type { AccessSubject } from "../api/tenant.ts";
import { type ChildObject, labelsOf, metadataOf } from "./objects.ts";
import type { AccessRole, ResolvedTenant } from "./resolve.ts";

export type DesiredNamespace = DeepReadonly<Namespace> & {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
};

/** Builds the Namespace. Labels of the operator win over those of `spec.namespaceMetadata`. */
export function namespace(resolved: ResolvedTenant): DesiredNamespace {
  const { labels, annotations } = resolved.namespaceMetadata;
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: resolved.namespace,
      labels: { ...labels, ...labelsOf(resolved), ...podSecurityLabels(resolved) },
      annotations: { ...annotations },
    },
  };
}

function podSecurityLabels({ podSecurity }: ResolvedTenant): Record<string, string> {
  const { version, ...levels } = podSecurity;
  return Object.fromEntries(
    Object.entries(levels).flatMap(([mode, level]) => [
      [podSecurityLabelPrefix + mode, level],
      [`${podSecurityLabelPrefix}${mode}-version`, version],
    ]),
  );
}

export function resourceQuota(resolved: ResolvedTenant): ChildObject<ResourceQuota> | undefined {
  if (resolved.quota === undefined) return undefined;
  return {
    metadata: metadataOf(resolved, { name: names.quota, component: "quota" }),
    spec: { hard: resolved.quota.hard },
  };
}

/** Builds the LimitRange with default resources: with a quota, the API server rejects pods that set none. */
export function limitRange(resolved: ResolvedTenant): ChildObject<LimitRange> | undefined {
  if (resolved.quota === undefined) return undefined;
  const { containerDefault, containerDefaultRequest } = resolved.quota;
  return {
    metadata: metadataOf(resolved, { name: names.limits, component: "quota" }),
    spec: { limits: [{ type: "Container", default: containerDefault, defaultRequest: containerDefaultRequest }] },
  };
}

export const accessRoles: readonly AccessRole[] = ["admin", "editor", "viewer"];
const rbacGroup = "rbac.authorization.k8s.io";

/** Returns the name of the ClusterRole that subjects with this role are bound to. */
export function accessClusterRole(role: AccessRole): string {
  return `neurallog-tenant-${role}`;
}

/** Builds one RoleBinding per role that has subjects. */
export function accessBindings(resolved: ResolvedTenant): ChildObject<RoleBinding>[] {
  return accessRoles
    .filter((role) => resolved.access[role].length > 0)
    .map((role) => ({
      metadata: metadataOf(resolved, { name: `neurallog-${role}s`, component: "access" }),
      roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: accessClusterRole(role) },
      subjects: resolved.access[role].map((subject) => subjectOf(subject, resolved.namespace)),
    }));
}

function subjectOf(subject: DeepReadonly<AccessSubject>, tenantNamespace: string): DeepReadonly<Subject> {
  const { kind, name, namespace = tenantNamespace } = subject;
  return kind === "ServiceAccount" ? { kind, name, namespace } : { apiGroup: rbacGroup, kind, name };
}
