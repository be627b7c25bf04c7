import type { Pki } from "./pki.ts";

/** Content of a kubeconfig: one cluster, one user. */
export interface KubeconfigParts {
  /** Name of the cluster, the user and the context. */
  readonly name: string;
  readonly server: string;
  /** PEM texts. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Returns a self-contained kubeconfig: keys and certificates are embedded, so the file can be copied anywhere. */
export function kubeconfigText({ name, server, ca, cert, key }: KubeconfigParts): string {
  // Every JSON string is a valid YAML string.
  const quoted = JSON.stringify(name);
  const base64 = (pem: string): string => Buffer.from(pem).toString("base64");
  return `apiVersion: v1
kind: Config
current-context: ${quoted}
clusters:
  - name: ${quoted}
    cluster:
      server: ${JSON.stringify(server)}
      certificate-authority-data: ${base64(ca)}
users:
  - name: ${quoted}
    user:
      client-certificate-data: ${base64(cert)}
      client-key-data: ${base64(key)}
contexts:
  - name: ${quoted}
    context:
      cluster: ${quoted}
      user: ${quoted}
`;
}

/** Returns the kubeconfig of a user of a cluster. */
export function kubeconfigOf(user: string, { name, server, pki }: { name: string; server: string; pki: Pki }): string {
  const cert = pki.read(`${user}.crt`);
  return kubeconfigText({ name, server, ca: pki.read("ca.crt"), cert, key: pki.read(`${user}.key`) });
}
