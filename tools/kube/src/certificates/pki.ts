import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type KeyPair, type Subject, issue, makeAuthority, makeSigningKey } from "@homeostat/x509";
import { ensureFolder } from "../cache/paths.ts";

/** A user of a cluster with a client certificate. Kubelets have one per node. */
export type User = "admin" | "controller-manager" | "scheduler" | "kube-proxy";

/** Identities of the users. */
const users: { readonly [user in User]: Subject } = {
  admin: { commonName: "admin", organization: "system:masters" },
  "controller-manager": { commonName: "system:kube-controller-manager" },
  scheduler: { commonName: "system:kube-scheduler" },
  "kube-proxy": { commonName: "system:kube-proxy" },
};

/** Names of all users but kubelets. */
export const userNames: readonly User[] = ["admin", "controller-manager", "scheduler", "kube-proxy"];

/** Keys and certificates of a cluster. */
export interface Pki {
  readonly folder: string;
  /** Returns the path of a file such as `"ca.crt"`. */
  readonly file: (name: string) => string;
  /** Returns the content of a file. */
  readonly read: (name: string) => string;
}

/** Returns the keys and certificates in a cluster's folder. */
export function openPki(clusterFolder: string): Pki {
  const folder = join(clusterFolder, "pki");
  const file = (name: string): string => join(folder, name);
  return { folder, file, read: (name) => readFileSync(file(name), "utf8") };
}

/** Addresses of the API server and the nodes. */
export interface Hosts {
  readonly apiserver: readonly string[];
  readonly nodes: readonly { readonly name: string; readonly suffix: string; readonly address: string }[];
}

/**
 * Creates all keys and certificates of a cluster, valid for ten years.
 *
 * etcd has its own CA: the CA of the cluster signs every approved CertificateSigningRequest, which must not give access to the
 * storage behind the API server.
 */
export function makePki(clusterFolder: string, hosts: Hosts, today: Date): Pki {
  const pki = openPki(clusterFolder);
  ensureFolder(pki.folder);
  const write = (name: string, content: string): void => {
    writeFileSync(pki.file(name), content, { mode: 0o600 });
  };
  const writePair = (name: string, pair: KeyPair): void => {
    write(`${name}.crt`, pair.cert);
    write(`${name}.key`, pair.key);
  };
  // Starts in the past, to tolerate clock skew.
  const validFrom = new Date(today.getTime() - 10 * 60_000);
  const validUntil = new Date(today.getTime() + 3650 * 24 * 3600_000);
  const validity = { validFrom, validUntil };

  const authority = makeAuthority({ subject: { commonName: "kubernetes-ca" }, ...validity });
  writePair("ca", authority);
  const server = { commonName: "kube-apiserver" };
  writePair("apiserver", issue(authority, { subject: server, hosts: hosts.apiserver, ...validity }));
  const local = { hosts: ["localhost", "127.0.0.1"] };
  writePair("local-server", issue(authority, { subject: { commonName: "local-server" }, ...local, ...validity }));
  for (const user of userNames) writePair(user, issue(authority, { subject: users[user], ...validity }));
  for (const { name, suffix, address } of hosts.nodes) {
    const subject = { commonName: `system:node:${name}`, organization: "system:nodes" };
    writePair(`kubelet${suffix}`, issue(authority, { subject, hosts: [name, address], ...validity }));
  }

  const storage = makeAuthority({ subject: { commonName: "etcd-ca" }, ...validity });
  writePair("etcd-ca", storage);
  writePair("etcd", issue(storage, { subject: { commonName: "etcd" }, ...local, ...validity }));
  writePair("etcd-client", issue(storage, { subject: { commonName: "kube-apiserver" }, ...validity }));

  const frontProxy = makeAuthority({ subject: { commonName: "front-proxy-ca" }, ...validity });
  writePair("front-proxy-ca", frontProxy);
  writePair("front-proxy-client", issue(frontProxy, { subject: { commonName: "front-proxy-client" }, ...validity }));

  const tokens = makeSigningKey();
  write("service-accounts.key", tokens.privateKey);
  write("service-accounts.pub", tokens.publicKey);
  return pki;
}
