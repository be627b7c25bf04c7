import type { Client } from "@homeostat/client";
import { ClusterRole, ClusterRoleBinding, RoleBinding } from "@homeostat/kubernetes/rbac/v1";

/** A permission: API group, resource, and verbs separated by spaces. */
export type Right = readonly [group: string, resource: string, verbs: string];

/**
 * Grants a user permissions in the whole cluster, with a ClusterRole and a ClusterRoleBinding of the same name; or in one namespace, with a RoleBinding
 * instead.
 */
export async function grant(
  client: Client,
  {
    name,
    user,
    rights,
    namespace,
  }: {
    readonly name: string;
    readonly user: string;
    readonly rights: readonly Right[];
    readonly namespace?: string | undefined;
  },
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
  const roleRef = { apiGroup, kind: "ClusterRole", name };
  const subjects = [{ kind: "User", apiGroup, name: user }];
  if (namespace === undefined)
    await client.create(ClusterRoleBinding, { apiVersion, kind: "ClusterRoleBinding", metadata, roleRef, subjects });
  else
    await client.create(RoleBinding, {
      apiVersion,
      kind: "RoleBinding",
      metadata: { ...metadata, namespace },
      roleRef,
      subjects,
    });
}
