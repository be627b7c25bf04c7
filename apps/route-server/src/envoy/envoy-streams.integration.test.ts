// The discovery service of Envoy on the embedded cluster, in virtual time. Sockets are real; a real Envoy is in e2e/src/operators/sandbox/envoy.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { RouteTable } from "@homeostat/sandbox-operator";
import { EnvoyClient } from "../testing/envoy-client.ts";
import { type RunningServer, TestServers } from "../testing/test-servers.ts";

const routeType = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration";

describe("the discovery service of the route server", () => {
  let cluster: TestServers;
  let replica: RunningServer;
  before(async () => {
    cluster = await TestServers.start(["shop", "bank"]);
    replica = await cluster.serve("replica-a");
    for (const namespace of ["shop", "bank"]) await createTable(namespace, "cart");
  });
  after(async () => {
    await replica.stop();
    await cluster[Symbol.asyncDispose]();
  });

  const createTable = async (namespace: string, name: string): Promise<void> => {
    const entry = { routingKey: `key-${namespace}`, sandbox: "pr-1", workload: name, source: "Sandbox" as const };
    const { client } = cluster;
    await client.create(
      RouteTable,
      RouteTable.default({
        apiVersion: "sandbox.example.com/v1alpha1",
        kind: "RouteTable",
        metadata: { name, namespace },
        spec: {
          service: name,
          version: "v1",
          ports: [{ port: 80, baselineTarget: `${name}--base.${namespace}.svc:80` }],
          entries: [{ ...entry, ports: [{ port: 80, targetService: "pr-1-cart", targetPort: 80 }] }],
        },
      }),
    );
    const merge = { status: { listenPorts: { "80": 21_000 } } };
    await client.patch(RouteTable, { namespace, name }, { merge }, { subresource: "status" });
  };
  const connect = (token: string, nodeId = "envoy-1"): EnvoyClient =>
    new EnvoyClient({ port: replica.servers.streams.port, ca: cluster.authority.cert, token, nodeId });
  const counted = async (namespace: string): Promise<string | undefined> => {
    const { status } = await cluster.existing(RouteTable, { namespace, name: "cart" });
    const [entry] = status?.replicas ?? [];
    return entry === undefined ? undefined : `${entry.version} ${entry.synced}/${entry.total}`;
  };
  const setVersion = async (version: string, routingKey: string): Promise<void> => {
    const key = { namespace: "shop", name: "cart" };
    const { spec } = await cluster.existing(RouteTable, key);
    const entries = spec.entries.map((entry) => ({ ...entry, routingKey }));
    await cluster.client.patch(RouteTable, key, { merge: { spec: { version, entries } } });
  };

  it("sends the routes of the namespace of the token and all changes, and counts confirmations", async () => {
    using envoy = connect(await cluster.token("shop"));
    await cluster.until("the confirmation", async () => (await counted("shop")) === "v1 1/1");
    assert.match(envoy.resources.get(routeType) ?? "", /key-shop/);
    assert.doesNotMatch([...envoy.resources.values()].join(), /key-bank|bank\//);
    assert.equal(await counted("bank"), undefined);

    await setVersion("v2", "key-changed");
    await cluster.until("the change", async () => (await counted("shop")) === "v2 1/1");
    assert.match(envoy.resources.get(routeType) ?? "", /key-changed/);
    // Longer than the time after which a connection without frames is closed.
    await cluster.pass(90_000, 30);
    assert.equal(envoy.end, undefined);
    assert.equal(await counted("shop"), "v2 1/1");
  });

  it("does not count an Envoy that rejects the routes", async () => {
    using envoy = connect(await cluster.token("shop"));
    await cluster.until("all resources", async () => envoy.resources.size === 4);
    await cluster.until("the confirmation", async () => (await counted("shop")) === "v2 1/1");
    envoy.rejection = "bad regex";
    await setVersion("v3", "key-rejected");

    await cluster.until("the rejection", async () => envoy.rejected > 0);
    await cluster.until("the rejected version", async () => (await counted("shop")) === "v3 0/1");
    envoy.rejection = undefined;
    await setVersion("v4", "key-accepted");
    await cluster.until("the next version", async () => (await counted("shop")) === "v4 1/1");
  });

  it("forgets an Envoy that has disconnected", async () => {
    {
      using _ = connect(await cluster.token("shop"));
      await cluster.until("the confirmation", async () => (await counted("shop")) === "v4 1/1");
    }
    await cluster.until("no proxies", async () => (await counted("shop")) === undefined);
  });

  for (const [what, connectBadly, status, message] of [
    [
      "a token of another audience",
      async () => connect(await cluster.token("shop", { audience: "other" })),
      "16",
      /audience/,
    ],
    ["an invalid token", async () => connect("nonsense"), "16", /audience/],
    ["an invalid node.id", async () => connect(await cluster.token("shop"), "a/b"), "3", /node\.id must be/],
  ] as const) {
    it(`refuses ${what}`, async () => {
      using envoy = await connectBadly();
      const end = await cluster.until("the end", async () => envoy.end);
      assert.equal(end.status, status);
      assert.match(end.message, message);
      assert.equal(await counted("shop"), undefined);
    });
  }

  it("ends a stream with its token", async () => {
    using envoy = connect(await cluster.token("shop", { expirationSeconds: 600 }));
    await cluster.until("the confirmation", async () => (await counted("shop")) === "v4 1/1");
    await cluster.pass(610_000, 20);
    const end = await cluster.until("the end", async () => envoy.end);
    assert.deepEqual([end.status, /has expired/.test(end.message)], ["16", true]);
  });
});
