import { randomUUID } from "node:crypto";
import { open, rename, unlink } from "node:fs/promises";
import type { KeyPair } from "@homeostat/x509";

/** What a kubeconfig with one cluster and one user says. */
export interface KubeconfigContent {
  /** `https://127.0.0.1:6443`. */
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  /** How the user is known: by certificate, by token, or both. */
  readonly client?: KeyPair;
  readonly token?: string;
  /** Of the cluster, the user and the context alike. Default `homeostat`. */
  readonly name?: string;
  readonly namespace?: string;
}

/** The text of a kubeconfig: YAML, with every value in quotes. */
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
 * Writes a kubeconfig that only its owner can read, all at once: whoever reads the file sees the old text or the new one.
 *
 * Rejects with the error of the file system.
 */
export async function writeKubeconfig(path: string, content: KubeconfigContent): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  // "wx": a file or link that somebody put there is not written through.
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(formatKubeconfig(content));
    await file.sync();
    await file.close();
    await rename(draft, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await unlink(draft).catch(() => undefined);
    throw error;
  }
}
