import type { Client } from "@homeostat/client";
import { ClusterRole, ClusterRoleBinding } from "@homeostat/kubernetes/rbac/v1";

/** A permission: API group, resource, and verbs separated by spaces. */
export type Right = readonly [group: string, resource: string, verbs: string];

/** Grants a user permissions in the whole cluster, with a ClusterRole and a ClusterRoleBinding of the same name. */
export async function grant(
  client: Client,
  { name, user, rights }: { readonly name: string; readonly user: string; readonly rights: readonly Right[] },
): Promise<void> {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const apiGroup = "rbac.authorization.k8s.io";
  const metadata = { name };
  const rules = rights.map(([group, resource, verbs]) => ({
    apiGroups: [group],
    resources: [resource],
    verbs: verbs.split(" "),
  }));
  await client.create(ClusterRole, { apiVersion, kind: "ClusterRole", metadata, rules });
  await client.create(ClusterRoleBinding, {
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata,
    roleRef: { apiGroup, kind: "ClusterRole", name },
    subjects: [{ kind: "User", apiGroup, name: user }],
  });
}
