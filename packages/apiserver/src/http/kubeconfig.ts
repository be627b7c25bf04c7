import { randomUUID } from "node:crypto";
import { open, rename, unlink } from "node:fs/promises";
import type { KeyPair } from "@homeostat/x509";

/** Content of a kubeconfig with one cluster and one user. */
export interface KubeconfigContent {
  /** `https://127.0.0.1:6443`. */
  readonly server: string;
  /** CA certificate, PEM. */
  readonly ca: string;
  /** Client certificate of the user. A user may have a certificate, a token, or both. */
  readonly client?: KeyPair;
  readonly token?: string;
  /** Name of the cluster, the user and the context. Default `homeostat`. */
  readonly name?: string;
  readonly namespace?: string;
}

/** Returns the text of a kubeconfig: YAML with all values quoted. */
export function formatKubeconfig(content: KubeconfigContent): string {
  const { server, ca, client, token, name = "homeostat", namespace } = content;
  const quoted = JSON.stringify(name);
  const data = (pem: string): string => Buffer.from(pem).toString("base64");
  const lines = [
    "apiVersion: v1",
    "kind: Config",
    `current-context: ${quoted}`,
    "clusters:",
    `  - name: ${quoted}`,
    "    cluster:",
    `      server: ${JSON.stringify(server)}`,
    `      certificate-authority-data: ${data(ca)}`,
    "users:",
    `  - name: ${quoted}`,
    client === undefined && token === undefined ? "    user: {}" : "    user:",
    ...(client === undefined
      ? []
      : [`      client-certificate-data: ${data(client.cert)}`, `      client-key-data: ${data(client.key)}`]),
    ...(token === undefined ? [] : [`      token: ${JSON.stringify(token)}`]),
    "contexts:",
    `  - name: ${quoted}`,
    "    context:",
    `      cluster: ${quoted}`,
    `      user: ${quoted}`,
    ...(namespace === undefined ? [] : [`      namespace: ${JSON.stringify(namespace)}`]),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * Writes a kubeconfig that only its owner can read. Replaces the file atomically: readers see the old content or the
 * new one.
 *
 * Rejects with the error of the file system.
 */
export async function writeKubeconfig(path: string, content: KubeconfigContent): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  // "wx" fails if the name exists, so a link planted by another user is not followed.
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(formatKubeconfig(content));
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}
