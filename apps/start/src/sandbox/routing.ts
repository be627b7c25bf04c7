// The data plane of sandboxes on the embedded cluster: the route server in this process, and proxies in simulated pods.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@homeostat/client";
import type { AppModel } from "@homeostat/cluster/app-model";
import { type Clock, isRecord } from "@homeostat/core";
import { Secret } from "@homeostat/kubernetes/core/v1";
import { createOperatorManager } from "@homeostat/operator";
import { silentLogger } from "@homeostat/runtime";
import type { RouteServerAddress } from "@homeostat/sandbox-proxy";
import { type ListeningServers, routeServerOperator } from "@homeostat/sandbox-route-server";
import type { TargetCluster } from "../cluster/target-cluster.ts";
import { proxyModel } from "./proxy-model.ts";

/** Secret with the certificate that the operator issues for the route server. */
const certificateSecret = "sandbox-ca";
const audience = "sandbox-routes";
const pollMs = 100;

/** Runs the route server, and tells proxies where it is. */
export class Routing {
  /** Runs the routing proxy in the pods of its Deployment. */
  readonly model: AppModel = proxyModel(async ({ namespace, url, ca }) => this.#addressFor(namespace, url, ca));
  #servers: ListeningServers | undefined;
  #client: Client | undefined;

  /** Port of this machine on which the route server explains routes, once it runs. */
  get queryPort(): number | undefined {
    return this.#servers?.queries.port;
  }

  /** Runs the route server with the certificate and the permissions that the operator's manifests give it, until the signal aborts. */
  async run(
    cluster: TargetCluster,
    { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  ): Promise<void> {
    this.#client = cluster.client;
    const folder = await mkdtemp(join(tmpdir(), "homeostat-route-server-"));
    try {
      const operator = routeServerOperator({
        host: "127.0.0.1",
        onListening: (servers) => {
          this.#servers = servers;
        },
      });
      const options = cluster.managerOptions(operator);
      await writeCertificate(cluster.client, { folder, namespace: options.run?.namespace ?? "", clock, signal });
      const settings = { streamPort: 0, queryPort: 0, certDir: folder, replica: "npm-start" };
      const manager = createOperatorManager(operator, { ...options, settings, log: silentLogger, clock });
      await manager.run(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #addressFor(namespace: string, url: string, ca: string): Promise<RouteServerAddress> {
    if (this.#servers === undefined || this.#client === undefined) throw new Error("The route server does not run yet");
    const address = new URL(url);
    address.port = String(this.#servers.streams.port);
    return { url: address.origin, ca, token: await requestToken(this.#client, namespace), lookup: loopback };
  }
}

/** Waits for the certificate of the route server and writes it to files, as the kubelet does for a pod. */
async function writeCertificate(
  client: Client,
  options: {
    readonly folder: string;
    readonly namespace: string;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { folder, namespace, clock, signal } = options;
  for (;;) {
    const { data = {} } = (await client.get(Secret, { namespace, name: certificateSecret }, { signal })) ?? {};
    const files = ["tls.crt", "tls.key"].map((name) => [name, data[name]] as const);
    if (files.every(([, content]) => content !== undefined)) {
      for (const [name, content = ""] of files) await writeFile(join(folder, name), Buffer.from(content, "base64"));
      return;
    }
    await clock.sleep(pollMs, signal);
  }
}

/** Requests a token of the default ServiceAccount, which the kubelet would mount into the pods of proxies. */
async function requestToken(client: Client, namespace: string): Promise<string> {
  const { body } = await client.raw({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences: [audience], expirationSeconds: 3_600 },
    }),
  });
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  const review: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
  const status = isRecord(review) ? review["status"] : undefined;
  const token = isRecord(status) ? status["token"] : undefined;
  return typeof token === "string" ? token : "";
}

/** Resolves every name to this machine. The certificate is for the name of the Service of the route server. */
const loopback: LookupFunction = (_name, { all }, callback) => {
  if (all === true) callback(null, [{ address: "127.0.0.1", family: 4 }]);
  else callback(null, "127.0.0.1", 4);
};
