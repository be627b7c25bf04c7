// The route server with the operator on the embedded cluster, in virtual time. Sockets are real.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { sendHttp } from "@homeostat/http";
import { conditionOf, type RunningOperator } from "@homeostat/operator-testing";
import { RouteTable, type RouteTableInput, Sandbox } from "@homeostat/sandbox-operator";
import { sandboxOperator } from "@homeostat/sandbox-operator/internal";
import type { StreamOperation } from "@homeostat/routing";
import { type RunningServer, TestServers } from "./testing/test-servers.ts";

const apiVersion = "sandbox.example.com/v1alpha1";

function tablesIn(operations: readonly StreamOperation[]): string[] {
  return operations.flatMap((each) =>
    "table" in each ? [`${each.op} ${each.table.namespace}/${each.table.service}`] : [],
  );
}

describe("the route server", () => {
  let cluster: TestServers;
  let operator: RunningOperator;
  let a: RunningServer;
  let b: RunningServer;
  let token: string;

  before(async () => {
    let seed = 6;
    cluster = await TestServers.start(["shop", "bank"]);
    await cluster.client.create(Namespace, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "sandbox-system" },
    });
    operator = await cluster.runOperator({
      operator: (random) =>
        sandboxOperator({
          operatorNamespace: "sandbox-system",
          random,
          // Different bytes each time: a key that is taken is chosen again.
          secureBytes: (count) => Buffer.alloc(count, (seed += 1)),
        }),
      run: { namespace: "sandbox-system" },
      isCounted: () => false,
    });
    await baseline("cart");
    const spec = {
      services: [{ name: "cart", targetRef: { name: "cart" }, containers: [{ name: "app", image: "cart:2" }] }],
    };
    const metadata = { name: "pr-1", namespace: "shop" };
    await cluster.client.create(Sandbox, Sandbox.default({ apiVersion, kind: "Sandbox", metadata, spec }));
    a = await cluster.serve("replica-a");
    b = await cluster.serve("replica-b");
    token = await cluster.token("shop");
    await cluster.until("the table has an address", async () => {
      const table = a.server.feed.record("shop/cart")?.table;
      return (table?.entries[0]?.ports[0]?.addresses ?? []).length > 0;
    });
  });
  after(async () => {
    await a.stop();
    await b.stop();
    await operator[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  const baseline = async (name: string): Promise<void> => {
    const app = { app: name };
    const containers = [{ name: "app", image: `${name}:1`, ports: [{ containerPort: 8080, name: "http" }] }];
    await cluster.client.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace: "shop" },
      spec: { selector: { matchLabels: app }, template: { metadata: { labels: app }, spec: { containers } } },
    });
    await cluster.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace: "shop", annotations: { "sandbox.example.com/interception": "Takeover" } },
      spec: { selector: app, ports: [{ name: "http", port: 80, targetPort: "http" }] },
    });
  };
  const createTable = async (name: string, version = "v1", namespace = "bank"): Promise<void> => {
    const ports = [{ port: 80, baselineTarget: `${name}.bank.svc:80` }];
    const table: RouteTableInput = {
      apiVersion,
      kind: "RouteTable",
      metadata: { name, namespace },
      spec: { service: name, ports, entries: [], version },
    };
    await cluster.client.create(RouteTable, RouteTable.default(table));
  };
  const programmed = async (): Promise<string | undefined> => {
    const sandbox = await cluster.existing(Sandbox, { namespace: "shop", name: "pr-1" });
    return conditionOf(sandbox, "RoutesProgrammed");
  };
  const query = async (path: string, body?: object): Promise<{ status: number; text: string }> => {
    const response = await sendHttp({
      method: body === undefined ? "GET" : "POST",
      host: "localhost",
      port: a.servers.queries.port,
      path,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: new AbortController().signal,
      bodyBytesMax: 1_000_000,
    });
    return { status: response.status, text: response.body.toString() };
  };

  it("sends a snapshot, then changes, and signs of life", async () => {
    using proxy = cluster.connect(a, { token: await cluster.token("bank"), query: "role=takeover&proxy=p-bank" });
    await createTable("one");
    await cluster.until("the table is known", async () => a.server.feed.record("bank/one"));
    proxy.open();
    await cluster.until("SYNCED", async () => proxy.synced);
    assert.deepEqual(tablesIn(proxy.operations), ["ADD bank/one"]);
    assert.equal(proxy.synced?.snapshot, true);

    await createTable("two");
    await cluster.client.patch(RouteTable, { namespace: "bank", name: "one" }, { merge: { spec: { version: "v2" } } });
    await cluster.until("the change", async () => tablesIn(proxy.operations).includes("REPLACE bank/one"));
    await cluster.client.delete(RouteTable, { namespace: "bank", name: "two" });
    await cluster.until("the removal", async () => tablesIn(proxy.operations).includes("REMOVE bank/two"));
    assert.deepEqual(tablesIn(proxy.operations), [
      "ADD bank/one",
      "ADD bank/two",
      "REPLACE bank/one",
      "REMOVE bank/two",
    ]);
    await cluster.until("a ping", async () => proxy.operations.some(({ op }) => op === "PING"));
    await cluster.client.delete(RouteTable, { namespace: "bank", name: "one" });
  });

  it("refuses tokens of other namespaces and audiences, and malformed requests, with a reason", async () => {
    using proxy = cluster.connect(a, { token, query: "" });
    const stream = "/v1/stream?role=takeover&proxy=p";
    const foreign = await proxy.send("GET", `${stream}&namespace=bank`);
    assert.equal(foreign.status, 403);
    assert.match(foreign.body, /token belongs to namespace shop and gets no tables of namespace bank/);
    const audience = await proxy.send("GET", stream, { token: await cluster.token("shop", { audience: "other" }) });
    assert.deepEqual([audience.status, audience.body.includes("audience sandbox-routes")], [401, true]);
    assert.equal((await proxy.send("GET", stream, { token: "made-up" })).status, 401);
    assert.equal((await proxy.send("GET", "/v1/stream?role=king")).status, 400);
    assert.equal((await proxy.send("GET", "/v1/other")).status, 404);
    assert.equal((await proxy.send("POST", stream)).status, 405);
    assert.match((await proxy.send("POST", "/v1/ack", { body: "{" })).body, /JSON/);
    assert.equal((await proxy.send("POST", "/v1/ack", { body: "x".repeat(300_000) })).status, 413);
    const unknown = await proxy.acknowledge("nobody");
    assert.deepEqual([unknown.status, unknown.body.includes("no open stream")], [409, true]);
  });

  it("brings confirmations of all replicas into the status and the condition of the Sandbox", async () => {
    assert.match((await programmed()) ?? "", /^False WaitingForProxies/);
    using one = cluster.connect(a, { token, query: "role=takeover&proxy=p-1" });
    using two = cluster.connect(b, { token, query: "role=takeover&proxy=p-2" });
    one.open();
    two.open();
    await cluster.until("SYNCED", async () => one.synced !== undefined && two.synced !== undefined);
    assert.equal((await one.acknowledge("p-1")).status, 200);
    const at = { namespace: "shop", name: "cart" };
    const proxies = async () => (await cluster.existing(RouteTable, at)).status?.proxies;
    await cluster.until("one of two", async () => {
      const counts = await proxies();
      return counts?.total === 2 && counts.synced === 1;
    });
    assert.match((await programmed()) ?? "", /^False WaitingForProxies/);

    await two.acknowledge("p-2");
    await cluster.until("Programmed", async () => (await programmed())?.startsWith("True"));
    const table = await cluster.existing(RouteTable, at);
    assert.deepEqual(table.status?.proxies, { total: 2, synced: 2 });
    assert.equal(table.status?.syncedVersion, table.spec.version);
    const { resourceVersion } = table.metadata;
    await cluster.pass(30_000);
    assert.equal((await cluster.existing(RouteTable, at)).metadata.resourceVersion, resourceVersion);

    two[Symbol.dispose]();
    await cluster.until("one proxy", async () => (await proxies())?.total === 1);
    await one.acknowledge("p-1", [{ service: "cart", message: "unknown condition" }]);
    await cluster.until("an error", async () => (await proxies())?.synced === 0);
  });

  it("lets a proxy continue at another replica when its own is stopped, without missing a change", async () => {
    const c = await cluster.serve("replica-c");
    using first = cluster.connect(c, { token, query: "role=takeover&proxy=p-3" });
    first.open();
    await cluster.until("SYNCED", async () => first.synced);
    await createTable("extra", "v1", "shop");
    await cluster.until("the table", async () => tablesIn(first.operations).includes("ADD shop/extra"));
    const from = `${first.synced?.epoch}.${first.version}`;
    await c.stop();
    await cluster.until("the end", async () => first.isEnded);
    await cluster.client.delete(RouteTable, { namespace: "shop", name: "extra" });
    await cluster.until("the removal", async () => b.server.feed.record("shop/extra") === undefined);

    using second = cluster.connect(b, { token, query: `role=takeover&proxy=p-3&from=${from}` });
    second.open();
    await cluster.until("SYNCED", async () => second.synced);

    assert.equal(second.synced?.snapshot, true);
    assert.deepEqual(tablesIn(second.operations), ["ADD shop/cart"]);
    const again = `${second.synced?.epoch}.${second.version}`;
    using third = cluster.connect(b, { token, query: `role=takeover&proxy=p-3&from=${again}` });
    third.open();
    await cluster.until("SYNCED", async () => third.synced);
    assert.deepEqual([third.synced?.snapshot, tablesIn(third.operations)], [false, []]);
    await cluster.until("the older stream ends", async () => second.isEnded);
  });

  it("records the requests that all replicas report, and wakes a fork that sleeps once", async () => {
    const metadata = { name: "sleepy", namespace: "shop" };
    const spec = {
      routingKey: "sleepy-key",
      idle: { startIdle: true, sleepAfterSeconds: 600 },
      services: [{ name: "cart", targetRef: { name: "cart" }, containers: [{ name: "app", image: "cart:2" }] }],
    };
    await cluster.client.create(Sandbox, Sandbox.default({ apiVersion, kind: "Sandbox", metadata, spec }));
    const state = async (): Promise<string | undefined> =>
      (await cluster.existing(Sandbox, metadata)).status?.services?.[0]?.status;
    await cluster.until("Idle", async () => (await state()) === "Idle");
    const { uid: sandboxUid = "" } = (await cluster.existing(Sandbox, metadata)).metadata;
    const at = { namespace: "shop", name: "cart" };
    for (const each of [a, b]) {
      await cluster.until("the route waits for the fork", async () =>
        each.server.feed
          .record("shop/cart")
          ?.table.entries.some((entry) => entry.sandboxUid === sandboxUid && entry.holdSeconds === 90),
      );
    }
    using one = cluster.connect(a, { token, query: "role=takeover&proxy=r-1" });
    using two = cluster.connect(b, { token, query: "role=takeover&proxy=r-2" });
    const foreign = cluster.connect(a, { token: await cluster.token("bank"), query: "role=takeover&proxy=r-3" });
    using _ = foreign;
    for (const proxy of [one, two, foreign]) proxy.open();
    await cluster.until("SYNCED", async () => [one, two, foreign].every(({ synced }) => synced !== undefined));
    const report = (proxy: string): string => {
      const activity = [{ namespace: "shop", service: "cart", sandboxUid, agoMs: 0, isWaiting: true }];
      return JSON.stringify({ proxy, activity });
    };

    const refused = await foreign.send("POST", "/v1/report", { body: report("r-3") });
    const stranger = await foreign.send("POST", "/v1/report", { body: report("r-1") });
    const malformed = await one.send("POST", "/v1/report", { body: '{"proxy":"r-1","activity":[{}]}' });
    assert.deepEqual([refused.status, refused.body], [200, '{"accepted":0,"ignored":1}\n']);
    assert.deepEqual([stranger.status, malformed.status], [409, 400]);
    assert.match(malformed.body, /activity\[0\]\.namespace is absent: is required/);
    for (let round = 0; round < 3; round += 1) {
      assert.equal((await one.send("POST", "/v1/report", { body: report("r-1") })).status, 200);
      assert.equal((await two.send("POST", "/v1/report", { body: report("r-2") })).status, 200);
      await cluster.pass(1_000);
    }
    await cluster.until("Ready", async () => (await state()) === "Ready");

    const events = await cluster.eventsOf("Sandbox", metadata);
    assert.equal(events.filter((event) => event.includes("Woken")).length, 1, events.join("\n"));
    const sandbox = await cluster.existing(Sandbox, metadata);
    assert.equal(
      sandbox.status?.lastActivityTime,
      (await cluster.existing(RouteTable, at)).status?.activity?.[sandboxUid],
    );
    const forkName = sandbox.status?.services?.[0]?.forkName ?? "";
    const fork = await cluster.existing(Deployment, { namespace: "shop", name: forkName });
    // Generation 1: created with no replicas; 2: scaled up.
    assert.equal(fork.metadata.generation, 2);
    await cluster.client.delete(Sandbox, metadata);
    await cluster.until("the route and its activity are gone", async () => {
      const table = await cluster.existing(RouteTable, at);
      const hasRoute = table.spec.entries.some((entry) => entry.sandboxUid === sandboxUid);
      return !hasRoute && table.status?.activity?.[sandboxUid] === undefined;
    });
  });

  it("names the service that loses the key in a condition of the Sandbox", async () => {
    await createTable("payments", "v1", "shop");
    await cluster.until("the table", async () => a.server.feed.record("shop/payments"));
    const { routingKey: key, sandboxUid } = a.server.feed.record("shop/cart")?.table.entries[0] ?? {};
    using proxy = cluster.connect(a, { token, query: "role=takeover&proxy=audit" });
    proxy.open();
    await cluster.until("SYNCED", async () => proxy.synced);
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const activity = [{ namespace: "shop", service: "cart", sandboxUid, agoMs: 100 }];
    const sightings = [
      { namespace: "shop", service: "cart", traceId, key, agoMs: 100 },
      { namespace: "shop", service: "payments", traceId, agoMs: 50 },
    ];
    const condition = async (): Promise<string> => {
      const sandbox = await cluster.existing(Sandbox, { namespace: "shop", name: "pr-1" });
      return conditionOf(sandbox, "PropagationBroken") ?? "";
    };
    assert.match(await condition(), /^Unknown Pending/);

    await proxy.send("POST", "/v1/report", { body: JSON.stringify({ proxy: "audit", activity }) });
    await cluster.until("no loss", async () => (await condition()).startsWith("False NoLossSeen"));
    await proxy.send("POST", "/v1/report", { body: JSON.stringify({ proxy: "audit", sightings }) });
    await cluster.until("the loss", async () => (await condition()).startsWith("True KeyLost"));

    assert.match(await condition(), /Service cart calls payments without the routing key .*0af7651916cd43dd/);
    const { text } = await query("/api/v1/propagation?namespace=shop");
    assert.match(text, /"from":"cart","to":"payments","count":1,"samples":\["0af7651916cd43dd8448eb211c80319c"\]/);
    assert.match(text, /"sandboxes":\["pr-1"\]/);
    assert.equal((await query("/api/v1/propagation?namespace=bank")).text, '{"lost":[]}\n');
    assert.match(a.registry.expose(), /routeserver_lost_keys_total\{namespace="shop",service="cart"\} 1/);
    await cluster.client.delete(RouteTable, { namespace: "shop", name: "payments" });
  });

  it("finds a loss between a proxy of one replica and a proxy of another one, and counts it once", async () => {
    await createTable("stock", "v1", "shop");
    for (const { server } of [a, b]) await cluster.until("the table", async () => server.feed.record("shop/stock"));
    const { routingKey: key } = a.server.feed.record("shop/cart")?.table.entries[0] ?? {};
    const address = "10.9.0.1";
    const slice = { name: "cart-base-1", namespace: "shop" };
    await cluster.client.create(EndpointSlice, {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...slice, labels: { "kubernetes.io/service-name": "cart--base" } },
      addressType: "IPv4",
      endpoints: [{ addresses: [address] }],
    });
    using one = cluster.connect(a, { token, query: "role=takeover&proxy=audit-a" });
    using two = cluster.connect(b, { token, query: "role=takeover&proxy=audit-b" });
    for (const proxy of [one, two]) proxy.open();
    await cluster.until("both replicas count a proxy", async () => {
      const table = await cluster.existing(RouteTable, { namespace: "shop", name: "cart" });
      return new Set(table.status.replicas?.map(({ name }) => name)).size >= 2;
    });
    const traceId = "1af7651916cd43dd8448eb211c80319c";
    const withKey = [{ namespace: "shop", service: "cart", traceId, key, agoMs: 100 }];
    const without = [{ namespace: "shop", service: "stock", traceId, client: address, agoMs: 50 }];

    await one.send("POST", "/v1/report", { body: JSON.stringify({ proxy: "audit-a", sightings: withKey }) });
    await two.send("POST", "/v1/report", { body: JSON.stringify({ proxy: "audit-b", sightings: without }) });
    const loss = /routeserver_lost_keys_total\{namespace="shop",service="cart"\} (\d)/;
    const before = loss.exec(a.registry.expose())?.[1];
    await cluster.until("the loss", async () => loss.test(b.registry.expose()));

    assert.equal(loss.exec(b.registry.expose())?.[1], "1");
    assert.equal(loss.exec(a.registry.expose())?.[1], before, "the other replica counts nothing");
    await cluster.until("nothing is shown any more", async () => {
      const table = await cluster.existing(RouteTable, { namespace: "shop", name: "cart" });
      return Object.keys(table.status.keySightings ?? {}).length === 0;
    });
    assert.equal(loss.exec(b.registry.expose())?.[1], "1");
    await cluster.client.delete(EndpointSlice, slice);
    await cluster.client.delete(RouteTable, { namespace: "shop", name: "stock" });
  });

  it("removes the counts of a replica that ended without a trace", async () => {
    const at = { namespace: "shop", name: "cart" };
    await cluster.client.apply(
      RouteTable,
      { metadata: at, status: { replicas: [{ name: "replica-dead", version: "v0", total: 3, synced: 3 }] } },
      { subresource: "status", fieldManager: "sandbox-route-server/replica-dead", force: true },
    );
    const endpoints = ["replica-a", "replica-b"].map((name, index) => ({
      addresses: [`10.1.0.${index + 1}`],
      targetRef: { kind: "Pod", name, namespace: "sandbox-system" },
    }));
    await cluster.client.create(EndpointSlice, {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        name: "route-server",
        namespace: "sandbox-system",
        labels: { "kubernetes.io/service-name": "sandbox-route-server" },
      },
      addressType: "IPv4",
      ports: [],
      endpoints,
    });

    await cluster.until("the entry is gone", async () => {
      const { status } = await cluster.existing(RouteTable, at);
      return status?.replicas?.every(({ name }) => name !== "replica-dead") ?? true;
    });
  });

  it("sends sidecars the tables of Services that select their pods, and counts them by role", async () => {
    const metadata = { name: "mug", namespace: "shop", annotations: { "sandbox.example.com/interception": "Sidecar" } };
    const app = { app: "mug" };
    const containers = [{ name: "app", image: "mug:1", ports: [{ containerPort: 8080, name: "http" }] }];
    await cluster.client.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "mug", namespace: "shop" },
      spec: {
        replicas: 2,
        selector: { matchLabels: app },
        template: { metadata: { labels: app }, spec: { containers } },
      },
    });
    await cluster.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector: app, ports: [{ port: 80, targetPort: "http" }] },
    });
    const spec = {
      services: [{ name: "mug", targetRef: { name: "mug" }, containers: [{ name: "app", image: "mug:2" }] }],
    };
    const at = { namespace: "shop", name: "pr-mug" };
    await cluster.client.create(Sandbox, Sandbox.default({ apiVersion, kind: "Sandbox", metadata: at, spec }));
    const pods = await cluster.until("two pods", async () => {
      const [known, ofOther] = [a, b].map(({ server }) => [...(server.feed.record("shop/mug")?.pods ?? [])]);
      return known?.length === 2 && ofOther?.length === 2 ? known : undefined;
    });
    using first = cluster.connect(a, { token, query: `role=sidecar&proxy=${pods[0]}` });
    using second = cluster.connect(b, { token, query: `role=sidecar&proxy=${pods[1]}` });
    using other = cluster.connect(a, { token, query: "role=sidecar&proxy=cart-1" });
    for (const each of [first, second, other]) {
      each.open();
      await cluster.until("SYNCED", async () => each.synced);
    }
    assert.deepEqual(tablesIn(first.operations), ["ADD shop/mug"]);
    assert.deepEqual(tablesIn(other.operations), []);
    assert.equal(a.server.feed.record("shop/mug")?.table.ports[0]?.targetPort, "http");

    await first.acknowledge(pods[0] ?? "");
    const routes = async (): Promise<string | undefined> =>
      conditionOf(await cluster.existing(Sandbox, at), "RoutesProgrammed");
    await cluster.until("one of two has confirmed", async () => /1 of 2 proxies/.test((await routes()) ?? ""));
    await second.acknowledge(pods[1] ?? "");
    await cluster.until("both have confirmed", async () => (await routes())?.startsWith("True"));
    const table = await cluster.existing(RouteTable, { namespace: "shop", name: "mug" });
    assert.equal(table.spec.interception, "Sidecar");
    assert.deepEqual(
      table.status?.replicas?.flatMap(({ roles }) => roles?.map(({ role }) => role)),
      ["sidecar", "sidecar"],
    );
    await cluster.client.delete(Sandbox, at);
    await cluster.until("the removal", async () => tablesIn(first.operations).includes("REMOVE shop/mug"));
  });

  it("keeps nothing for a reader that does not read but the keys of changed tables", async () => {
    const d = await cluster.serve("replica-d", { backlogMax: 5 });
    using slow = cluster.connect(d, { token, query: "role=takeover&proxy=slow" });
    slow.open({ isRead: false });
    await cluster.until(
      "the stream",
      async () =>
        slow.stream?.sentHeaders !== undefined &&
        d.registry.expose().includes(`routeserver_streams{role="takeover"} 1`),
    );
    const before = process.memoryUsage().arrayBuffers;
    const ports = Array.from({ length: 50 }, (_, index) => ({
      port: index + 1,
      baselineTarget: "x".repeat(250) + ":80",
    }));
    for (let round = 0; round < 2_000; round += 1) {
      const service = `s${round % 20}`;
      d.server.feed.set({ namespace: "shop", service, version: `v${round}`, ports, entries: [] }, false);
      if (round % 100 === 0) await cluster.pass(1);
    }
    assert.ok(process.memoryUsage().arrayBuffers - before < 20_000_000);

    slow.read();
    await cluster.until("the newest table", async () =>
      slow.operations.some((each) => "table" in each && "version" in each.table && each.table.version === "v1999"),
    );
    assert.ok(tablesIn(slow.operations).length < 500, `${tablesIn(slow.operations).length} operations`);
    await d.stop();
  });

  it("answers queries", async () => {
    const rules = await query("/api/v1/workloads/routing-rules?baselineName=cart&destinationSandboxName=pr-1");
    assert.match(rules.text, /"baseline":\{"kind":"Service","namespace":"shop","name":"cart"\}/);
    const { routingKey = "" } = a.server.feed.record("shop/cart")?.table.entries[0] ?? {};
    const explained = await query("/api/v1/explain", {
      namespace: "shop",
      service: "cart",
      headers: { "x-routing-key": routingKey },
    });
    assert.deepEqual(
      [explained.status, explained.text.includes('"outcome":{"type":"entry"')],
      [200, true],
      explained.text,
    );
    assert.equal((await query("/api/v1/explain", { namespace: "shop", service: "none" })).status, 404);
    assert.equal((await query("/api/v1/explain", {})).status, 400);
    assert.match((await query("/api/v1/services?namespace=shop")).text, /"service":"cart"/);
    assert.equal((await query("/readyz")).status, 200);
    assert.equal((await query("/healthz")).status, 200);
    assert.match((await query("/metrics")).text, /routetable_entries\{namespace="shop"\} 1/);
    assert.equal((await query("/other")).status, 404);
    assert.equal((await query("/api/v1/services", {})).status, 405);
  });
});
