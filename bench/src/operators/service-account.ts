import type { RealCluster } from "@homeostat/kube";
import type { RawApi } from "../peers/raw-api.ts";
import { operatorNamespace } from "./audit-log.ts";

/** Creates a namespace. */
export async function createNamespace(
  api: RawApi,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
  await api.must({ method: "POST", path: "/api/v1/namespaces", body });
}

/** Returns a kubeconfig of a service account with all permissions: the audit log records the requests of such users only. */
export async function operatorKubeconfig(api: RawApi, { server, ca = "" }: RealCluster, name: string): Promise<string> {
  const accounts = `/api/v1/namespaces/${operatorNamespace}/serviceaccounts`;
  const rbac = "rbac.authorization.k8s.io";
  const post = async (path: string, body: object): Promise<string> =>
    (await api.must({ method: "POST", path, body: JSON.stringify(body) })).text;
  await post(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } });
  await post(`/apis/${rbac}/v1/clusterrolebindings`, {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: `bench-${name}` },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name, namespace: operatorNamespace }],
  });
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 36_000 } };
  const { status } = JSON.parse(await post(`${accounts}/${name}/token`, request)) as { status: { token: string } };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "bench",
    clusters: [
      { name: "bench", cluster: { server, "certificate-authority-data": Buffer.from(ca).toString("base64") } },
    ],
    users: [{ name: "bench", user: { token: status.token } }],
    contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
  });
}
