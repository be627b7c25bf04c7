// Preview hosts: the operator publishes them, the route server sends them to gateways, and the status follows their confirmations.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ConfigMap, Service } from "@homeostat/kubernetes/core/v1";
import { conditionOf, type RunningOperator } from "@homeostat/operator-testing";
import type { PreviewHost, StreamOperation } from "@homeostat/routing";
import { generateRecipient } from "@homeostat/x509";
import { PreviewLink, RouteGroup, RouteTable, Sandbox } from "@homeostat/sandbox-operator";
import { sandboxOperator } from "@homeostat/sandbox-operator/internal";
import { type RunningServer, TestServers } from "./testing/test-servers.ts";

const apiVersion = "sandbox.example.com/v1alpha1";
const domain = "preview.example.com";
const target = "http://frontend.shop.svc:80";

function hostsIn(operations: readonly StreamOperation[]): readonly PreviewHost[] {
  return operations.flatMap((each) => (each.op === "HOST" ? [each.host] : []));
}

describe("preview hosts", () => {
  let cluster: TestServers;
  let operator: RunningOperator;
  let server: RunningServer;

  before(async () => {
    cluster = await TestServers.start(["shop", "sandbox-system"]);
    await cluster.client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "sandbox-config", namespace: "sandbox-system" },
      data: { "config.yaml": `preview: {domain: ${domain}}` },
    });
    operator = await cluster.runOperator({
      operator: (random) => sandboxOperator({ operatorNamespace: "sandbox-system", random }),
      run: { namespace: "sandbox-system" },
      isCounted: () => false,
    });
    await cluster.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "frontend", namespace: "shop" },
      spec: { selector: { app: "frontend" }, ports: [{ port: 80 }] },
    });
    server = await cluster.serve("replica-a");
  });
  after(async () => {
    await server.stop();
    await operator[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  const createSandbox = async (name: string, routingKey: string): Promise<void> => {
    const spec = { routingKey, endpoints: [{ name: "web", target }] };
    const metadata = { name, namespace: "shop" };
    await cluster.client.create(Sandbox, Sandbox.default({ apiVersion, kind: "Sandbox", metadata, spec }));
  };
  const endpointOf = async (name: string) =>
    (await cluster.existing(Sandbox, { namespace: "shop", name })).status.endpoints?.[0];

  it("are ready once all gateways serve them, and are removed with their endpoint", async () => {
    using gateway = cluster.connect(server, { token: await cluster.token("shop"), query: "role=gateway&proxy=g1" });
    gateway.open();
    await cluster.until("SYNCED", async () => gateway.synced);
    await createSandbox("pr-1", "key-of-pr-1");
    const host = `web--key-of-pr-1.${domain}`;

    const sent = await cluster.until("the host", async () => hostsIn(gateway.operations)[0]);
    assert.deepEqual(
      [sent.host, sent.routingKey, sent.namespace, sent.service, sent.port, sent.auth, sent.addresses],
      [host, "key-of-pr-1", "shop", "frontend", 80, "Token", []],
    );
    const waiting = await endpointOf("pr-1");
    assert.deepEqual([waiting?.url, waiting?.ready], [`https://${host}`, false]);

    await gateway.acknowledge("g1");
    await cluster.until("the endpoint is ready", async () => (await endpointOf("pr-1"))?.ready);
    await cluster.client.patch(Sandbox, { namespace: "shop", name: "pr-1" }, { merge: { spec: { endpoints: [] } } });
    await cluster.until("the removal", async () => gateway.operations.some(({ op }) => op === "HOST_REMOVED"));
  });

  it("are not ready if a gateway cannot use one, or none is connected", async () => {
    {
      using gateway = cluster.connect(server, { token: await cluster.token("shop"), query: "role=gateway&proxy=g1" });
      gateway.open();
      await createSandbox("pr-2", "key-of-pr-2");
      const host = `web--key-of-pr-2.${domain}`;
      await cluster.until("the host", async () => hostsIn(gateway.operations).some((each) => each.host === host));
      await gateway.acknowledge("g1", [{ namespace: "shop", service: `@${host}`, message: "unusable" }]);
      const counts = await cluster.until("the counts", async () => {
        const table = await cluster.existing(RouteTable, { namespace: "shop", name: "frontend" });
        const hosts = table.status.replicas?.[0]?.hosts;
        return hosts?.unserved === undefined ? undefined : hosts;
      });
      assert.deepEqual([counts.gateways, counts.unserved], [1, [host]]);
      assert.equal((await endpointOf("pr-2"))?.ready, false);

      await gateway.acknowledge("g1");
      await cluster.until("the endpoint is ready", async () => (await endpointOf("pr-2"))?.ready);
    }
    await cluster.until("the endpoint is not ready", async () => (await endpointOf("pr-2"))?.ready === false);
  });

  it("of groups have the key of the group, or the default key if the user chose the host", async () => {
    using gateway = cluster.connect(server, { token: await cluster.token("shop"), query: "role=gateway&proxy=g1" });
    gateway.open();
    const endpoints = [
      { name: "web", target },
      { name: "open", target, host: `shop.${domain}` },
    ];
    const spec = { routingKey: "key-of-group", defaultRoutingKey: "key-of-pr-2", endpoints };
    const metadata = { name: "all", namespace: "shop" };
    await cluster.client.create(RouteGroup, RouteGroup.default({ apiVersion, kind: "RouteGroup", metadata, spec }));
    const found = await cluster.until("the hosts", async () => {
      const hosts = hostsIn(gateway.operations).filter(({ host }) => !host.includes("pr-2"));
      return hosts.length === 2 ? hosts : undefined;
    });

    const keys = new Map(found.map(({ host, routingKey, defaultKey }) => [host, [routingKey, defaultKey]]));
    assert.deepEqual(keys.get(`shop.${domain}`), [undefined, "key-of-pr-2"]);
    assert.deepEqual(keys.get(`web--key-of-group.${domain}`), ["key-of-group", undefined]);
    await gateway.acknowledge("g1");
    await cluster.until("the endpoints are ready", async () => {
      const group = await cluster.existing(RouteGroup, { namespace: "shop", name: "all" });
      return conditionOf(group, "EndpointsReady")?.startsWith("True");
    });
  });

  it("accept the tokens of links while they exist, and count their uses", async () => {
    const metadata = {
      name: "link-1",
      namespace: "shop",
      annotations: { "sandbox.example.com/created-by": JSON.stringify({ user: "jane", groups: ["system:masters"] }) },
    };
    const { publicKey } = generateRecipient();
    const spec = { targetRef: { name: "pr-2" }, endpoint: "web", publicKey };
    const token = await cluster.token("sandbox-system");
    using gateway = cluster.connect(server, { token, query: "role=gateway&proxy=g2" });
    gateway.open();
    await cluster.until("SYNCED", async () => gateway.synced);
    await cluster.client.create(PreviewLink, PreviewLink.make({ metadata, spec }));
    const link = await cluster.until("the token is issued", async () => {
      const found = await cluster.existing(PreviewLink, { namespace: "shop", name: "link-1" });
      return found.status.tokenId === undefined ? undefined : found;
    });
    const { tokenId, host = "" } = link.status;
    assert.match(host, /^web--key-of-pr-2--[a-z2-7]{6}\.preview\.example\.com$/);
    const sent = await cluster.until("the host", async () =>
      hostsIn(gateway.operations).find((each) => each.host === host),
    );
    assert.deepEqual([sent.auth, sent.tokens, sent.routingKey], ["Token", [tokenId], "key-of-pr-2"]);

    const uses = [{ id: tokenId, count: 2, lastUsedAt: "2030-01-01T00:00:00.000Z" }];
    const { version, epoch } = gateway.synced ?? {};
    const report = JSON.stringify({ proxy: "g2", version, epoch, uses });
    assert.equal((await gateway.send("POST", "/v1/ack", { body: report })).status, 200);
    assert.equal((await gateway.send("POST", "/v1/ack", { body: report })).status, 200);
    await cluster.until("the uses", async () => {
      const { status } = await cluster.existing(PreviewLink, { namespace: "shop", name: "link-1" });
      return status.uses?.[0]?.count === 4;
    });

    await cluster.client.delete(PreviewLink, { namespace: "shop", name: "link-1" });
    await cluster.until("the removal", async () =>
      gateway.operations.some((each) => each.op === "HOST_REMOVED" && each.host.host === host),
    );
  });

  it("belong to the oldest object that asks for them, and to the next one when that is gone", async () => {
    const host = `chosen.${domain}`;
    const endpoints = [{ name: "web", target, host }];
    // Of objects that were created in the same second, the UID decides; there is no webhook here that refuses the second one.
    const create = async (name: string, namespace: string): Promise<void> => {
      const metadata = { name, namespace };
      const spec = { routingKey: `key-of-${name}`, endpoints };
      await cluster.client.create(Sandbox, Sandbox.default({ apiVersion, kind: "Sandbox", metadata, spec }));
    };
    using gateway = cluster.connect(server, { token: await cluster.token("shop"), query: "role=gateway&proxy=g1" });
    gateway.open();
    const keysOf = (): readonly (string | undefined)[] =>
      hostsIn(gateway.operations).flatMap((each) => (each.host === host ? [each.routingKey] : []));
    await create("first", "shop");
    await cluster.until("the host of the first", async () => keysOf().at(-1) === "key-of-first");
    await cluster.pass(2_000);
    await create("second", "shop");

    const lost = await cluster.until("the conflict", async () => {
      const endpoint = await endpointOf("second");
      return endpoint?.reason === "HostConflict" ? endpoint : undefined;
    });
    assert.deepEqual(
      [lost.ready, lost.message],
      [false, `the older Sandbox first has the host ${host}; choose another host`],
    );
    assert.deepEqual([...new Set(keysOf())], ["key-of-first"]);

    await cluster.client.delete(Sandbox, { namespace: "shop", name: "first" });
    await cluster.until("the host of the second", async () => keysOf().at(-1) === "key-of-second");
    await cluster.until("a confirmation", async () => {
      await gateway.acknowledge("g1");
      return (await endpointOf("second"))?.ready;
    });
  });

  it("follow a change of the preview domain without a change of the object", async () => {
    const url = async (): Promise<string | undefined> => (await endpointOf("pr-2"))?.url;
    assert.equal(await url(), `https://web--key-of-pr-2.${domain}`);

    await cluster.client.patch(
      ConfigMap,
      { namespace: "sandbox-system", name: "sandbox-config" },
      { merge: { data: { "config.yaml": "preview: {domain: other.example.com}" } } },
    );
    await cluster.until("the new address", async () => (await url()) === "https://web--key-of-pr-2.other.example.com");
    const table = await cluster.until("the hosts of the table", async () => {
      const found = await cluster.existing(RouteTable, { namespace: "shop", name: "frontend" });
      const hosts = found.spec.hosts?.map(({ host }) => host) ?? [];
      return hosts.includes("web--key-of-pr-2.other.example.com") ? hosts : undefined;
    });
    assert.ok(!table.includes(`web--key-of-pr-2.${domain}`));
  });

  it("are not sent to other proxies", async () => {
    using proxy = cluster.connect(server, { token: await cluster.token("shop"), query: "role=takeover&proxy=p1" });
    proxy.open();
    await cluster.until("SYNCED", async () => proxy.synced);

    assert.deepEqual(
      proxy.operations.filter(({ op }) => op.startsWith("HOST") || op === "PREVIEW"),
      [],
    );
  });
});
