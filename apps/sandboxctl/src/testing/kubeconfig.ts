// Kubeconfigs for tests that run the program as a process.

import assert from "node:assert/strict";
import type { Connection } from "@homeostat/client";

/** The parts of a connection as they are written in a kubeconfig. */
export interface KubeconfigParts {
  readonly cluster: object;
  readonly clientCertificate: string;
  readonly clientKey: string;
}

/** Returns the parts of a connection with a client certificate. */
export function kubeconfigParts({ server, tls, identity }: Connection): KubeconfigParts {
  const ca = Buffer.from(textOf(tls?.certificateAuthority)).toString("base64");
  return {
    cluster: { server, "certificate-authority-data": ca },
    clientCertificate: textOf(identity?.clientCertificate),
    clientKey: textOf(identity?.clientKey),
  };
}

/** Returns a kubeconfig with one context. */
export function kubeconfigOf(connection: Connection, namespace: string): string {
  const { cluster, clientCertificate, clientKey } = kubeconfigParts(connection);
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const user = {
    "client-certificate-data": base64(clientCertificate),
    "client-key-data": base64(clientKey),
  };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    clusters: [{ name: "test", cluster }],
    users: [{ name: "test", user }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test", namespace } }],
  });
}

function textOf(material: unknown): string {
  assert.ok(typeof material === "object" && material !== null && "data" in material);
  return String(material.data);
}
