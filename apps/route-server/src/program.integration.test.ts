// The whole program on the embedded cluster, with exactly the permissions of its manifests: certificate files, tokens, gateways, watches.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { after, before, describe, it } from "node:test";
import { ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { sendHttp } from "@homeostat/http";
import { compareAccess, operatorAccess, operatorManifests } from "@homeostat/operator";
import { applyManifests, type RunningOperator } from "@homeostat/operator-testing";
import { RouteTable, type RouteTableInput } from "@homeostat/sandbox-operator";
import { issue, type KeyPair } from "@homeostat/x509";
import type { StreamOperation } from "@homeostat/routing";
import { routeServerOperator } from "./operator.ts";
import type { ListeningServers } from "./route-server.ts";
import type { ProxyClient } from "./testing/proxy-client.ts";
import { TestServers } from "./testing/test-servers.ts";

const apiVersion = "sandbox.example.com/v1alpha1";
const systemNamespace = "sandbox-system";

function endOf({ operations }: ProxyClient): Extract<StreamOperation, { op: "END" }> | undefined {
  return operations.findLast((each) => each.op === "END");
}

function tablesIn({ operations }: ProxyClient): string[] {
  return operations.flatMap((each) =>
    "table" in each ? [`${each.op} ${each.table.namespace}/${each.table.service}`] : [],
  );
}

describe("the route server program", () => {
  let cluster: TestServers;
  let folder: string;
  let program: RunningOperator;
  let servers: ListeningServers | undefined;

  const write = async ({ cert, key }: Partial<KeyPair>): Promise<void> => {
    if (cert !== undefined) await writeFile(join(folder, "tls.crt"), cert);
    if (key !== undefined) await writeFile(join(folder, "tls.key"), key);
  };
  const renewed = (): KeyPair =>
    issue(cluster.authority, {
      subject: { commonName: "localhost" },
      hosts: ["localhost"],
      usages: ["server"],
      validFrom: new Date("2020-01-01"),
      validUntil: new Date("2089-01-01"),
    });
  const open = async (namespace: string, query: string, token?: string): Promise<ProxyClient> => {
    assert.ok(servers !== undefined);
    const client = cluster.connect({ servers }, { token: token ?? (await cluster.token(namespace)), query });
    client.open();
    await cluster.until("SYNCED", async () => client.synced);
    return client;
  };
  const createTable = async (namespace: string, name: string): Promise<void> => {
    const ports = [{ port: 80, baselineTarget: `${name}.${namespace}.svc:80` }];
    const spec = { service: name, ports, entries: [], version: "v1" };
    const table: RouteTableInput = { apiVersion, kind: "RouteTable", metadata: { name, namespace }, spec };
    await cluster.client.create(RouteTable, RouteTable.default(table));
  };
  /** Returns the serial number of the certificate for new connections. */
  const servedSerial = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(
        { port: servers?.streams.port ?? 0, host: "localhost", ca: cluster.authority.cert, ALPNProtocols: ["h2"] },
        () => {
          resolve(socket.getPeerCertificate().serialNumber);
          socket.destroy();
        },
      );
      socket.on("error", reject);
    });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "route-server-"));
    cluster = await TestServers.start(["shop", "bank", systemNamespace]);
    const operator = routeServerOperator();
    const kinds = new Set(["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]);
    const manifests = operatorManifests(operator).filter(({ kind }) => kinds.has(kind));
    await applyManifests(cluster.client, manifests);
    for (const name of ["cart", "orders"]) await createTable("shop", name);
    await createTable("bank", "cart");
    program = await cluster.runOperator({
      operator: () => routeServerOperator({ onListening: (listening) => (servers = listening) }),
      user: `system:serviceaccount:${systemNamespace}:sandbox-route-server`,
      run: { namespace: systemNamespace },
      settings: { streamPort: 0, queryPort: 0, certDir: folder, replica: "replica-a" },
      isCounted: () => false,
    });
  });
  after(async () => {
    await program[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it("waits for a certificate that is missing, half written, or does not match its key", async () => {
    const isWaiting = (): boolean => program.lines.some(({ message }) => message === "Waiting for certificate");
    await cluster.until("the program waits", async () => isWaiting());
    await write({ cert: cluster.certificate.cert });
    await cluster.pass(5_000);
    await write({ key: renewed().key });
    await cluster.pass(5_000);
    await write({ cert: cluster.certificate.cert.slice(0, 100), key: cluster.certificate.key });
    await cluster.pass(5_000);
    assert.equal(servers, undefined);

    await write(cluster.certificate);
    await cluster.until("the servers listen", async () => servers);
  });

  it("uses a renewed certificate for new connections while streams are open", async () => {
    using proxy = await open("shop", "role=takeover&proxy=p-1");
    const first = await servedSerial();
    const next = renewed();
    await write({ cert: next.cert });
    await cluster.pass(30_000);
    assert.equal(await servedSerial(), first, "a pair that does not match is not used");
    assert.ok(program.lines.some(({ message }) => message === "Failed to read certificate"));

    await write(next);
    await cluster.until("the new certificate", async () => (await servedSerial()) !== first);

    await createTable("shop", "during");
    await cluster.until("the table", async () => tablesIn(proxy).includes("ADD shop/during"));
    await cluster.client.delete(RouteTable, { namespace: "shop", name: "during" });
    assert.equal(proxy.isEnded, false);
  });

  it("ends a stream when its token expires, and accepts a fresh one", async () => {
    const token = await cluster.token("shop", { expirationSeconds: 600 });
    using proxy = await open("shop", "role=takeover&proxy=p-2", token);
    using other = await open("shop", "role=takeover&proxy=p-3");
    await cluster.pass(560_000);
    assert.equal(proxy.isEnded, false);

    await cluster.until("the end", async () => proxy.isEnded);

    assert.equal(endOf(proxy)?.reason, "TokenExpired");
    assert.match(endOf(proxy)?.message ?? "", /expired; read the token from its file again and reconnect/);
    assert.equal((await proxy.acknowledge("p-2").catch(() => ({ status: 401 }))).status, 401);
    assert.equal(other.isEnded, false);
    using again = await open("shop", "role=takeover&proxy=p-2");
    assert.deepEqual(tablesIn(again).toSorted(), ["ADD shop/cart", "ADD shop/orders"]);
  });

  it("ends a stream when its ServiceAccount was deleted", async () => {
    using proxy = await open("bank", "role=sidecar&proxy=p-4");
    await cluster.client.delete(ServiceAccount, { namespace: "bank", name: "proxy" });

    await cluster.until("the end", async () => proxy.isEnded);

    assert.equal(endOf(proxy)?.reason, "TokenRejected");
    const metadata = { name: "proxy", namespace: "bank" };
    await cluster.client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  });

  it("ends the older of two streams of one proxy with a reason", async () => {
    using first = await open("shop", "role=takeover&proxy=p-5");
    using second = await open("shop", "role=takeover&proxy=p-5");
    await cluster.until("the end", async () => first.isEnded);
    assert.deepEqual([endOf(first)?.reason, second.isEnded], ["Replaced", false]);
  });

  it("sends gateways only tables of Services that preview hosts lead to, of their namespace or of all", async () => {
    using system = await open(systemNamespace, "role=gateway&proxy=g-1");
    using own = await open("bank", "role=gateway&proxy=g-2");
    assert.deepEqual([tablesIn(system), tablesIn(own)], [[], []]);
    const owner = { kind: "Sandbox", namespace: "shop", name: "pr-1", uid: "uid-1" } as const;
    const host = {
      host: "web.preview.test",
      target: "http://cart.shop.svc:80",
      auth: "None",
      path: "/",
      owner,
    } as const;
    const publish = async (hosts: readonly (typeof host)[]): Promise<void> => {
      const change = { merge: { spec: { hosts: [...hosts] } } };
      await cluster.client.patch(RouteTable, { namespace: "shop", name: "cart" }, change);
    };
    await publish([host]);

    await cluster.until("the table", async () => tablesIn(system).includes("ADD shop/cart"));
    await publish([]);
    await cluster.until("the removal", async () => tablesIn(system).includes("REMOVE shop/cart"));

    assert.deepEqual(tablesIn(system), ["ADD shop/cart", "REMOVE shop/cart"]);
    assert.deepEqual(tablesIn(own), []);
  });

  it("sends routing rules again when they change, until the client disconnects", async () => {
    const path = "/api/v1/workloads/routing-rules?baselineNamespace=bank&watch=true";
    const lines: string[] = [];
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ port: servers?.queries.port ?? 0, host: "localhost", path }, resolve).on("error", reject);
    });
    response.setEncoding("utf8").on("data", (text: string) => lines.push(...text.split("\n").filter(Boolean)));
    response.on("error", () => undefined);
    await cluster.until("the first document", async () => lines.length === 1);
    assert.equal(lines[0], '{"routingRules":[]}');
    await createTable("shop", "unrelated");
    await cluster.pass(2_000);
    assert.equal(lines.length, 1, "a change of other rules sends nothing");

    const entry = {
      routingKey: "key-1",
      sandbox: "pr-9",
      sandboxUid: "uid-9",
      workload: "cart",
      source: "Sandbox" as const,
      onUnavailable: "Fail" as const,
      ports: [{ port: 80, targetService: "pr-9-cart", targetPort: 80 }],
    };
    const change = { merge: { spec: { version: "v2", entries: [entry] } } };
    await cluster.client.patch(RouteTable, { namespace: "bank", name: "cart" }, change);
    await cluster.until("the second document", async () => lines.length === 2);
    assert.match(lines[1] ?? "", /"routingKey":"key-1".*"destinationSandbox":\{"name":"pr-9"\}/);
    response.destroy();
    await cluster.client.delete(RouteTable, { namespace: "shop", name: "unrelated" });
  });

  it("refuses bodies that are too large or too deep", async () => {
    const send = async (body: string): Promise<number> => {
      const port = servers?.queries.port ?? 0;
      const signal = AbortSignal.timeout(20_000);
      const request = { method: "POST", host: "localhost", port, path: "/api/v1/explain", body, signal } as const;
      return (await sendHttp({ ...request, bodyBytesMax: 10_000 })).status;
    };
    assert.equal(await send(JSON.stringify({ path: "x".repeat(300_000) })), 413);
    assert.equal(await send("[".repeat(1_000)), 400);
    assert.equal(await send("{"), 400);
    // The server reads no more than 4 MiB of it; the client may notice that before it reads the response.
    assert.equal(await send("x".repeat(8_000_000)).catch(() => 413), 413);
    using proxy = await open("shop", "role=takeover&proxy=p-6");
    assert.equal((await proxy.send("POST", "/v1/ack", { body: "x".repeat(300_000) })).status, 413);
    const largest = await proxy.send("POST", "/v1/ack", { body: "x".repeat(6_000_000) }).catch(() => undefined);
    assert.ok(largest === undefined || largest.status === 413);
    assert.equal((await proxy.acknowledge("p-6")).status, 200, "the connection is still in use");
  });

  it("says why a stream ends when the program stops, and used exactly its permissions", async () => {
    using proxy = await open("shop", "role=takeover&proxy=p-7");
    await proxy.acknowledge("p-7");
    await cluster.until("the status", async () => {
      const { status } = await cluster.existing(RouteTable, { namespace: "shop", name: "cart" });
      return status?.replicas?.some(({ name, synced }) => name === "replica-a" && synced === 1);
    });

    await program[Symbol.asyncDispose]();

    await cluster.until("the end", async () => proxy.isEnded);
    assert.equal(endOf(proxy)?.reason, "ServerStopping");
    const { status } = await cluster.existing(RouteTable, { namespace: "shop", name: "cart" });
    assert.deepEqual(status?.replicas ?? [], []);
    const { missing, unused } = compareAccess(operatorAccess(routeServerOperator()), cluster.access.used());
    assert.deepEqual([missing, unused], [[], []]);
  });
});
