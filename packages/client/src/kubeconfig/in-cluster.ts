import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Connection } from "./connection.ts";
import { KubeconfigError } from "./errors.ts";

/** Where the kubelet mounts a pod's service account. */
export const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether this process runs in a pod, by the variables that the kubelet sets. */
export function isInCluster(env: Environment = process.env): boolean {
  return Boolean(env["KUBERNETES_SERVICE_HOST"]) && Boolean(env["KUBERNETES_SERVICE_PORT"]);
}

/** The connection of a pod to its own cluster, as its service account. Token and authority are read again when they rotate. */
export async function inClusterConnection({
  env = process.env,
  folder = serviceAccountFolder,
}: { env?: Environment; folder?: string } = {}): Promise<Connection> {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) {
    throw new KubeconfigError({
      file: "in-cluster configuration",
      problem: "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set",
      remedy: "This process does not run in a pod; use a kubeconfig.",
    });
  }
  const tokenPath = join(folder, "token");
  try {
    await readFile(tokenPath);
  } catch (error) {
    throw new KubeconfigError(
      {
        file: tokenPath,
        problem: "cannot be read",
        remedy: "Let the pod mount its service account token (automountServiceAccountToken), or use a kubeconfig.",
      },
      { cause: error },
    );
  }
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    tls: { certificateAuthority: { path: join(folder, "ca.crt") }, insecureSkipVerify: false, serverName: undefined },
    identity: {
      clientCertificate: undefined,
      clientKey: undefined,
      token: { path: tokenPath },
      basic: undefined,
      exec: undefined,
    },
    impersonate: undefined,
    proxyUrl: undefined,
    namespace: (await readFile(join(folder, "namespace"), "utf8").catch(() => "default")).trim() || "default",
  };
}
