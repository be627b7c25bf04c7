// Random roles, bindings and access reviews from few names, so that they overlap.

import type {
  AnyBinding,
  AnyRole,
  AccessReviewSpec,
  RoleRefObject,
  Rule,
  SubjectObject,
} from "@homeostat/apiserver/internal";
import type { SeededRandom } from "@homeostat/core";

export const namespaces: readonly string[] = ["default", "kube-public"];
const users = ["ann", "ben", "system:serviceaccount:default:sa", "o'mally <&>", "ü"];
const groups = ["red", "blue", "system:authenticated"];
const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*"];
const apiGroups = ["", "apps", "batch", "*", "made.up"];
const resources = [
  "pods",
  "pods/log",
  "deployments",
  "deployments/scale",
  "*/scale",
  "*/status",
  "*",
  "secrets",
  "*/*",
];
const names = ["one", "two"];
const paths = ["/healthz", "/healthz/*", "/metrics", "*", "/api/*", "/x**"];
const roleNames = ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"];

const rbac = "rbac.authorization.k8s.io";

function pick<T>(random: SeededRandom, items: readonly T[]): T {
  const item = items[random.int(items.length)];
  if (item === undefined) throw new Error("cannot pick from an empty list");
  return item;
}

function some<T>(random: SeededRandom, items: readonly T[], max = 3): T[] {
  return Array.from({ length: 1 + random.int(max) }, () => pick(random, items));
}

export function rule(random: SeededRandom, { isNamespaced }: { isNamespaced: boolean }): Rule {
  if (!isNamespaced && random.int(4) === 0) return { verbs: some(random, verbs), nonResourceURLs: some(random, paths) };
  return {
    verbs: some(random, verbs),
    apiGroups: some(random, apiGroups, 2),
    resources: some(random, resources),
    ...(random.int(3) === 0 ? { resourceNames: some(random, names, 2) } : {}),
  };
}

export function role(random: SeededRandom, name: string, namespace?: string): AnyRole {
  const rules = some(random, [0, 1, 2], 2).map(() => rule(random, { isNamespaced: namespace !== undefined }));
  return namespace === undefined
    ? { kind: "ClusterRole", metadata: { name: `c${name}` }, rules }
    : { kind: "Role", metadata: { name, namespace }, rules };
}

/** All roles except a few, which bindings refer to although they do not exist. */
export function roles(random: SeededRandom): AnyRole[] {
  const present = roleNames.slice(0, 6);
  return [undefined, ...namespaces].flatMap((namespace) => present.map((name) => role(random, name, namespace)));
}

export function binding(random: SeededRandom, name: string, namespace?: string): AnyBinding {
  const isOfCluster = namespace === undefined || random.int(2) === 0;
  const roleRef: RoleRefObject = isOfCluster
    ? { apiGroup: rbac, kind: "ClusterRole", name: `c${pick(random, roleNames)}` }
    : { apiGroup: rbac, kind: "Role", name: pick(random, roleNames) };
  const subjects = some(random, [0, 1, 2]).map(() => subject(random, namespace));
  return namespace === undefined
    ? { kind: "ClusterRoleBinding", metadata: { name }, roleRef, subjects }
    : { kind: "RoleBinding", metadata: { name, namespace }, roleRef, subjects };
}

function subject(random: SeededRandom, namespace: string | undefined): SubjectObject {
  switch (random.int(3)) {
    case 0:
      return { kind: "User", apiGroup: rbac, name: pick(random, users) };
    case 1:
      // Bindings to system:authenticated would allow almost everything.
      return { kind: "Group", apiGroup: rbac, name: pick(random, groups.slice(0, 2)) };
    default:
      return {
        kind: "ServiceAccount",
        name: pick(random, ["sa", "other"]),
        ...(namespace !== undefined && random.int(2) === 0 ? {} : { namespace: pick(random, namespaces) }),
      };
  }
}

export function accessRequest(random: SeededRandom): AccessReviewSpec {
  const identity = {
    user: pick(random, users),
    ...(random.int(3) === 0 ? {} : { groups: some(random, groups, 2) }),
  };
  const verb = pick(random, verbs);
  if (random.int(4) === 0) {
    const path = pick(random, ["/healthz", "/healthz/etcd", "/metrics", "/api/v1", "/x", "/nothing", "/api"]);
    return { ...identity, nonResourceAttributes: { path, verb } };
  }
  const [resource = "", subresource] = pick(random, [
    "pods",
    "pods/log",
    "deployments/scale",
    "secrets",
    "jobs/status",
  ]).split("/");
  const namespace = pick(random, [...namespaces, "", "elsewhere"]);
  const group = pick(random, ["", "apps", "batch", "nowhere"]);
  return {
    ...identity,
    resourceAttributes: {
      verb,
      ...(group === "" ? {} : { group }),
      resource,
      ...(subresource === undefined ? {} : { subresource }),
      ...(namespace === "" ? {} : { namespace }),
      ...(random.int(2) === 0 ? { name: pick(random, [...names, "three"]) } : {}),
    },
  };
}
