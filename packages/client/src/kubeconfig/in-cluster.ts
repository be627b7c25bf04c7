import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Connection } from "./connection.ts";
import { KubeconfigError } from "./errors.ts";

/** The directory in which the kubelet mounts the token and CA of a pod's service account. */
export const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

type Environment = Readonly<Record<string, string | undefined>>;

/** Reports whether this process runs in a pod, according to the environment variables that the kubelet sets. */
export function isInCluster(env: Environment = process.env): boolean {
  return Boolean(env["KUBERNETES_SERVICE_HOST"]) && Boolean(env["KUBERNETES_SERVICE_PORT"]);
}

/** Returns the connection of a pod to its own cluster with its service account. Token and CA are read again when they rotate. */
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
      remedy: "This process does not run in a pod. Use a kubeconfig.",
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
        remedy: "Mount the service account token (automountServiceAccountToken), or use a kubeconfig.",
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
