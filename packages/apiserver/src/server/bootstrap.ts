// What every cluster begins with.

import type { JsonRecord } from "@homeostat/core";
import { aggregationChanges } from "../auth/rbac/aggregate.ts";
import { defaultPolicy } from "../auth/rbac/default-policy.ts";
import { rbacGroup, type RbacObject } from "../auth/rbac/objects.ts";

/** An object to be created at the first start, and where it belongs. */
export interface FirstObject {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  readonly object: JsonRecord;
}

const namespaces = ["kube-system", "kube-public", "kube-node-lease", "default"];

/** The objects of a new cluster, in the order of their creation. `serviceAddress` is the first of the service network. */
export function firstObjects({
  serviceAddress,
  port,
}: {
  readonly serviceAddress: string;
  readonly port: number;
}): FirstObject[] {
  return [
    ...namespaces.map((name) =>
      first("", "namespaces", "", { kind: "Namespace", apiVersion: "v1", metadata: { name } }),
    ),
    ...policyObjects(),
    first("", "services", "default", kubernetesService(serviceAddress, port)),
  ];
}

function first(group: string, plural: string, namespace: string, object: JsonRecord): FirstObject {
  return { group, version: "v1", plural, namespace, object };
}

const plurals: Readonly<Record<RbacObject["kind"], string>> = {
  Role: "roles",
  ClusterRole: "clusterroles",
  RoleBinding: "rolebindings",
  ClusterRoleBinding: "clusterrolebindings",
};

function policyObjects(): FirstObject[] {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = defaultPolicy();
  const sums = new Map(aggregationChanges(clusterRoles).map((role) => [role.metadata.name, role]));
  const whole = clusterRoles.map((role) => sums.get(role.metadata.name) ?? role);
  return [...whole, ...clusterRoleBindings, ...roles, ...roleBindings].map((object) =>
    first(rbacGroup, plurals[object.kind], object.metadata.namespace ?? "", {
      apiVersion: `${rbacGroup}/v1`,
      ...object,
    }),
  );
}

function kubernetesService(address: string, port: number): JsonRecord {
  return {
    kind: "Service",
    apiVersion: "v1",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: {
      clusterIP: address,
      clusterIPs: [address],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }],
      sessionAffinity: "None",
      type: "ClusterIP",
    },
  };
}
