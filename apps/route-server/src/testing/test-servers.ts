// Route servers on an embedded cluster, and what their tests need in it.

import { Cache, clientSources, Registry, silentLogger } from "@homeostat/runtime";
import { SeededRandom } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Namespace, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { startClusterWithClock, TestCluster } from "@homeostat/operator-testing";
import { kinds } from "@homeostat/sandbox-operator/internal";
import { issue, type KeyPair, makeAuthority } from "@homeostat/x509";
import { type ListeningServers, RouteServer } from "../route-server.ts";
import { ProxyClient } from "./proxy-client.ts";

const dates = { validFrom: new Date("2020-01-01"), validUntil: new Date("2090-01-01") };

/** One replica. */
export interface RunningServer {
  readonly server: RouteServer;
  readonly servers: ListeningServers;
  readonly registry: Registry;
  /** Ends the replica as SIGTERM does. */
  stop(): Promise<void>;
}

export class TestServers extends TestCluster {
  readonly authority: KeyPair = makeAuthority({ subject: { commonName: "test" }, ...dates });
  readonly certificate: KeyPair = issue(this.authority, {
    subject: { commonName: "localhost" },
    hosts: ["localhost"],
    usages: ["server"],
    ...dates,
  });
  #seed = 100;

  /** Starts a cluster with the kinds, namespaces and ServiceAccounts. */
  static async start(namespaces: readonly string[]): Promise<TestServers> {
    const cluster = new TestServers(await startClusterWithClock({ nodes: [{}] }), { stepMs: 250, turns: 12 });
    for (const kind of Object.values(kinds)) await cluster.client.create(CustomResourceDefinition, kind.crd());
    for (const name of namespaces) {
      const metadata = { name, labels: { "sandbox.example.com/enabled": "true" } };
      await cluster.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata });
      await cluster.client.create(ServiceAccount, {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "proxy", namespace: name },
      });
    }
    return cluster;
  }

  /** Requests a token of the ServiceAccount of the proxies of a namespace. */
  async token(
    namespace: string,
    { audience = "sandbox-routes", expirationSeconds = 36_000 }: { audience?: string; expirationSeconds?: number } = {},
  ): Promise<string> {
    const { body, status } = await this.cluster.transport().send({
      method: "POST",
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/proxy/token`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { audiences: [audience], expirationSeconds },
      }),
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const response: { status?: { token?: string } } = JSON.parse(text);
    const token = response.status?.token;
    if (token === undefined) throw new Error(`no token: ${status} ${text}`);
    return token;
  }

  /** Runs a replica. */
  async serve(replica: string, { backlogMax }: { readonly backlogMax?: number } = {}): Promise<RunningServer> {
    const { clock, client } = this;
    this.#seed += 1;
    const random = new SeededRandom(this.#seed);
    const stopping = new AbortController();
    const cache = new Cache({ sources: clientSources(client), clock, random });
    const registry = new Registry();
    const caching = new AbortController();
    const running = cache.run(caching.signal);
    const server = new RouteServer({
      cache,
      client,
      clock,
      random,
      log: silentLogger,
      registry,
      streams: { port: 0, host: "localhost" },
      queries: { port: 0, host: "localhost" },
      systemNamespace: "sandbox-system",
      replica,
      ownService: "sandbox-system/sandbox-route-server",
      backlogMax,
    });
    const found: { servers?: ListeningServers; isOver: boolean } = { isOver: false };
    const serving = server
      .run(stopping.signal, {
        certificate: this.certificate,
        onListening: (servers) => {
          found.servers = servers;
        },
      })
      .finally(() => {
        found.isOver = true;
      });
    const servers = await this.until("the servers listen", async () => found.servers);
    const stop = async (): Promise<void> => {
      stopping.abort();
      while (!found.isOver) await this.pass(100);
      await serving;
      caching.abort();
      await running;
    };
    return { server, servers, registry, stop };
  }

  /** Connects a proxy. */
  connect(
    to: Pick<RunningServer, "servers">,
    { token, query }: { readonly token: string; readonly query: string },
  ): ProxyClient {
    return new ProxyClient({ port: to.servers.streams.port, ca: this.authority.cert, token, query });
  }
}
