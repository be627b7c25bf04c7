// A real Envoy that gets its routes from the route server, with the bootstrap configuration of the documentation.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient, type Client } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Namespace, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { repository } from "@homeostat/operator-testing/repository";
import { RouteTable } from "@homeostat/sandbox-operator";
import { kinds } from "@homeostat/sandbox-operator/internal";
import { issue, makeAuthority } from "@homeostat/x509";
import { OperatorProcess } from "../../../harness/operator-process.ts";
import { EnvoyProcess } from "./envoy-process.ts";
import { eventually } from "./eventually.ts";
import { installEnvoy, whyNoEnvoy } from "./install-envoy.ts";
import { sendRaw } from "./raw-request.ts";
import { receivedHeader } from "./upstreams.ts";

/** An address of this machine that EndpointSlices may contain: the API server refuses loopback addresses. */
const address = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
const skip = (await whyNoEnvoy()) ?? (address === undefined && "the machine has no address besides loopback");
const namespace = "shop";
const account = { name: "envoy", namespace };

describe("a real Envoy with the route server", { skip, timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "envoy-route-server-"));
  const servers: Server[] = [];
  let cluster: Cluster;
  let client: Client;
  let routeServer: OperatorProcess | undefined;
  let envoy: EnvoyProcess | undefined;

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    client = createClient(cluster.connection());
    for (const kind of Object.values(kinds)) await client.create(CustomResourceDefinition, kind.crd());
    await client.mapper.all({ isFresh: true });
    for (const name of [namespace, "sandbox-system"]) {
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata: account });
  });
  after(async () => {
    await envoy?.[Symbol.asyncDispose]();
    await routeServer?.stop();
    for (const server of servers) server.close();
    client.close();
    await cluster.stop();
    rmSync(folder, { recursive: true });
  });

  /** Starts a server that responds with a name. Returns its port. */
  const serve = async (name: string): Promise<number> => {
    const server = createHttpServer((_, response) =>
      response.setHeader(receivedHeader, JSON.stringify({ address: name, headers: {} })).end(),
    );
    servers.push(server);
    await new Promise<void>((resolve) => void server.listen(0, address, resolve));
    const listening = server.address();
    return typeof listening === "object" && listening !== null ? listening.port : 0;
  };
  /** Publishes a table whose key leads to the fork, as the operator does while a Service is taken over. */
  const publish = async (routingKey: string, { baseline, listen }: { baseline: number; listen: number }) => {
    const ports = [{ port: 80, targetService: "pr-1-cart", targetPort: 80 }];
    const entries = [{ routingKey, sandbox: "pr-1", workload: "cart", source: "Sandbox" as const, ports }];
    const spec = {
      service: "cart",
      version: routingKey,
      ports: [{ port: 80, baselineTarget: `${address}:${baseline}` }],
      entries,
    };
    const metadata = { name: "cart", namespace };
    await client.apply(RouteTable, { metadata, spec }, { fieldManager: "operator", force: true });
    const merge = { status: { listenPorts: { "80": listen } } };
    await client.patch(RouteTable, metadata, { merge }, { subresource: "status" });
  };

  it("routes by the tables of its namespace, confirms them, and follows changes after a restart, with a new token", async () => {
    assert.ok(address !== undefined);
    const [baseline, fork] = [await serve("baseline"), await serve("fork")];
    const metadata = { name: "pr-1-cart", namespace };
    await client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { ports: [{ name: "http", port: 80 }] },
    });
    await client.create(EndpointSlice, {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata, labels: { "kubernetes.io/service-name": metadata.name } },
      addressType: "IPv4",
      ports: [{ name: "http", port: fork }],
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
    });
    const [streams, listen] = [await freePort(), await freePort()];
    await publish("key-a", { baseline, listen });
    writeCertificate(folder);
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig(), { mode: 0o600 });
    writeFileSync(join(folder, "token"), await requestToken(cluster));
    routeServer = startRouteServer(folder, streams);
    const binary = await installEnvoy();
    const home = join(folder, "process");
    mkdirSync(home);
    envoy = new EnvoyProcess({
      binary,
      folder: home,
      dnsPort: 0,
      source: { bootstrap: documentedBootstrap(folder, streams) },
    });
    await envoy.listening(["shop/cart:80"]);
    const send = async (key: string): Promise<string> => {
      const headers = [["x-routing-key", key]] as const;
      const { received, head } = await sendRaw(listen, { method: "GET", path: "/", headers });
      return received?.address ?? head;
    };
    const confirmed = async (version: string) => {
      const [entry] = (await client.get(RouteTable, { namespace, name: "cart" }))?.status?.replicas ?? [];
      return entry?.version === version && entry.total === 1 && entry.synced === 1 ? true : undefined;
    };

    await eventually("the route", async () => ((await send("key-a")) === "fork" ? true : undefined));
    assert.equal(await send("key-b"), "baseline");
    await eventually("the confirmation", async () => confirmed("key-a"));
    await publish("key-b", { baseline, listen });
    await eventually("the change", async () => ((await send("key-b")) === "fork" ? true : undefined));
    assert.equal(await send("key-a"), "baseline");

    await routeServer.kill();
    assert.equal(await send("key-b"), "fork", "Envoy keeps its routes without the server");
    // The first token is invalid with its account, so that Envoy must read its file again.
    await client.delete(ServiceAccount, account);
    await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata: account });
    writeFileSync(join(folder, "token"), await requestToken(cluster));
    routeServer = startRouteServer(folder, streams);
    await publish("key-c", { baseline, listen });
    await eventually("the change after the restart", async () => ((await send("key-c")) === "fork" ? true : undefined));
    await eventually("its confirmation", async () => confirmed("key-c"));
    assert.doesNotMatch(envoy.log, /rejected/);
  });
});

/** Returns the documented configuration with the addresses and files of this machine. */
function documentedBootstrap(folder: string, port: number): string {
  const file = new URL("apps/route-server/samples/envoy-bootstrap.yaml", repository);
  return readFileSync(file, "utf8")
    .replace("sandbox-route-server.sandbox-system.svc:7777", `localhost:${port}`)
    .replace("/etc/sandbox/ca.crt", join(folder, "ca.crt"))
    .replace("/var/run/secrets/sandbox-routes/token", join(folder, "token"))
    .replace("port_value: 9901", "port_value: 0");
}

/** Writes a certificate for localhost and its CA. */
function writeCertificate(folder: string): void {
  const dates = { validFrom: new Date(Date.now() - 60_000), validUntil: new Date(Date.now() + 86_400_000) };
  const authority = makeAuthority({ subject: { commonName: "test" }, ...dates });
  const subject = { commonName: "localhost" };
  const { cert, key } = issue(authority, { subject, hosts: ["localhost"], usages: ["server"], ...dates });
  writeFileSync(join(folder, "ca.crt"), authority.cert);
  writeFileSync(join(folder, "tls.crt"), cert);
  writeFileSync(join(folder, "tls.key"), key, { mode: 0o600 });
}

function startRouteServer(folder: string, port: number): OperatorProcess {
  const flags = [
    "--namespace",
    "sandbox-system",
    "--cert-dir",
    folder,
    "--stream-port",
    `${port}`,
    "--query-port",
    "0",
  ];
  const kubeconfigPath = join(folder, "kubeconfig");
  return new OperatorProcess({ operator: "apps/route-server", kubeconfigPath, flags, env: { POD_NAME: "replica-0" } });
}

async function requestToken(cluster: Cluster): Promise<string> {
  const { body } = await cluster.transport().send({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/envoy/token`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences: ["sandbox-routes"], expirationSeconds: 3_600 },
    }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const response = JSON.parse(Buffer.concat(chunks).toString()) as { status?: { token?: string } };
  return response.status?.token ?? "";
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, resolve));
  const listening = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof listening === "object" && listening !== null ? listening.port : 0;
}
