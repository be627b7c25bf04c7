// A control plane for a tunnel server: the embedded API server, and LocalWorkloads as the webhook and the operator leave them.

import { createHash, X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { LocalWorkload, Sandbox, systemNamespace } from "@homeostat/sandbox-operator";
import { kinds } from "@homeostat/sandbox-operator/internal";
import { issue, makeAuthority } from "@homeostat/x509";
import { within } from "../harness/within.ts";

/** Identity of a LocalWorkload. */
export interface WorkloadIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Options of {@link TunnelCluster.createWorkload}. */
export interface WorkloadOptions {
  readonly name: string;
  /** Port of the tunnel server that leads to the machine, and port of the process on the machine. */
  readonly listenPort: number;
  readonly localPort: number;
  readonly publicKey: string;
  /** Port of the tunnel server for clients. */
  readonly tunnelPort: number;
}

/** Time in which the control plane must stop. */
const stopMs = 60_000;
/** Namespace and sandbox of all LocalWorkloads. */
export const place = { namespace: "shop", sandbox: "bench" } as const;
/** Group of the user who creates LocalWorkloads: it may do everything. */
const createdBy = JSON.stringify({ user: "bench", groups: ["system:masters"] });

/** The embedded API server, with the certificate of a tunnel server. */
export class TunnelCluster implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #client: Client;
  /** Folder with `kubeconfig`, `tls.crt`, `tls.key` and `ca.crt`. */
  readonly folder: string;
  /** SHA-256 of the authority, by which clients trust the tunnel server. */
  readonly caSha256: string;

  private constructor(cluster: Cluster, folder: string) {
    this.#cluster = cluster;
    this.#client = createClient(cluster.connection());
    this.folder = folder;
    this.caSha256 = writeCertificate(folder);
  }

  static async start(folder: string): Promise<TunnelCluster> {
    const cluster = new TunnelCluster(await startCluster({ parts: "api" }), folder);
    await cluster.#prepare();
    return cluster;
  }

  get kubeconfig(): string {
    return join(this.folder, "kubeconfig");
  }

  async #prepare(): Promise<void> {
    writeFileSync(this.kubeconfig, this.#cluster.kubeconfig(), { mode: 0o600 });
    for (const kind of Object.values(kinds)) await this.#client.create(CustomResourceDefinition, kind.crd());
    await this.#client.mapper.all({ isFresh: true });
    for (const name of [place.namespace, systemNamespace])
      await this.#client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const metadata = { name: place.sandbox, namespace: place.namespace };
    await this.#client.create(Sandbox, Sandbox.make({ metadata, spec: {} }));
  }

  /** Creates a LocalWorkload that machines can attach to. */
  async createWorkload({
    name,
    listenPort,
    localPort,
    publicKey,
    tunnelPort,
  }: WorkloadOptions): Promise<WorkloadIdentity> {
    const { namespace, sandbox } = place;
    const port = { name: "http", containerPort: 8080 } as const;
    const created = await this.#client.create(
      LocalWorkload,
      LocalWorkload.make({
        metadata: { name, namespace, annotations: { "sandbox.example.com/created-by": createdBy } },
        spec: {
          sandboxRef: { name: sandbox },
          service: { name: "cart", ports: [{ ...port, localPort }] },
          connection: { publicKeys: [publicKey] },
        },
      }),
    );
    const status = {
      routingKey: "k3v9q2m7x1c4d",
      ports: [{ ...port, listenPort }],
      tunnel: { url: `127.0.0.1:${tunnelPort}`, caSha256: this.caSha256 },
    };
    await this.#client.patch(LocalWorkload, { namespace, name }, { merge: { status } }, { subresource: "status" });
    return { namespace, name, uid: created.metadata.uid ?? "" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    await within(stopMs, "the end of the control plane", this.#cluster.stop());
  }
}

/** Writes the files of a serving certificate, and returns the SHA-256 of its authority in hex. */
function writeCertificate(folder: string): string {
  const dates = { validFrom: new Date(Date.now() - 60_000), validUntil: new Date(Date.now() + 86_400_000) };
  const authority = makeAuthority({ subject: { commonName: "bench" }, ...dates });
  const subject = { commonName: "sandbox-tunnel" };
  const pair = issue(authority, { subject, hosts: ["sandbox-tunnel"], usages: ["server"], ...dates });
  writeFileSync(join(folder, "tls.crt"), pair.cert);
  writeFileSync(join(folder, "tls.key"), pair.key, { mode: 0o600 });
  writeFileSync(join(folder, "ca.crt"), authority.cert);
  return createHash("sha256").update(new X509Certificate(authority.cert).raw).digest("hex");
}
