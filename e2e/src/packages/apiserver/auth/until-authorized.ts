import { systemClock } from "@homeostat/core";
import { at, type Server } from "./server.ts";

const group = "rbac.authorization.k8s.io";
const user = "zz-marker";
const metadata = { name: user };
const subjects = [{ kind: "User", apiGroup: group, name: user }];
const url = "/zz-marker";

/** One object of each kind of RBAC. Together they authorize the marker user for {@link questions}. */
const markers: readonly (readonly [path: string, body: object])[] = [
  ["clusterroles", { kind: "ClusterRole", rules: [{ verbs: ["get"], nonResourceURLs: [url] }] }],
  ["clusterrolebindings", { kind: "ClusterRoleBinding", roleRef: roleRef("ClusterRole"), subjects }],
  [
    "namespaces/default/roles",
    { kind: "Role", rules: [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"] }] },
  ],
  ["namespaces/default/rolebindings", { kind: "RoleBinding", roleRef: roleRef("Role"), subjects }],
];

const questions: readonly object[] = [
  { nonResourceAttributes: { verb: "get", path: url } },
  { resourceAttributes: { verb: "get", resource: "configmaps", namespace: "default" } },
];

/**
 * Waits until the authorizer of kube-apiserver knows all RBAC objects that were created before.
 *
 * It reads each kind from a cache that follows by a watch, so a fixed time is too short on a busy machine. Each watch keeps the
 * order of writes: once the authorizer knows an object created last, it knows those before.
 */
export async function untilAuthorized(server: Server): Promise<void> {
  for (const [path, body] of markers)
    await server.good({
      method: "POST",
      path: `/apis/${group}/v1/${path}`,
      body: { apiVersion: `${group}/v1`, metadata, ...body },
    });
  const deadline = systemClock.monotonic() + 60_000;
  while (!(await isAuthorized(server))) {
    if (systemClock.monotonic() > deadline) throw new Error("RBAC objects are not in effect after 60 s");
    await systemClock.sleep(50);
  }
}

async function isAuthorized(server: Server): Promise<boolean> {
  const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  for (const question of questions) {
    const body = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user, ...question },
    };
    if (at(await server.good({ method: "POST", path, body }), "status", "allowed") !== true) return false;
  }
  return true;
}

function roleRef(kind: string): object {
  return { apiGroup: group, kind, name: user };
}
