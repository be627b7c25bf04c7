// Views and actions of sandbox environments and streaming clusters, on an embedded cluster with the kinds of the operators. The operators do not run.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ChronikCluster } from "@homeostat/chronik-operator";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { grant } from "@homeostat/operator-testing";
import {
  annotations,
  labels,
  LocalWorkload,
  RouteGroup,
  RouteTable,
  Sandbox,
  SandboxPolicy,
} from "@homeostat/sandbox-operator";
import { clusterAccess } from "./access/cluster-access.ts";
import { type Dashboard, serveDashboard } from "./server/serve-dashboard.ts";
import { at, BrowserLike, listAt, type TestMessage } from "./testing/browser-like.ts";
import { installOperatorKinds } from "./testing/operator-kinds.ts";
import { asUser, testProxy } from "./testing/test-proxy.ts";

const namespace = "shop";
const sandboxes = "sandbox.example.com";

describe("pages about sandboxes and streaming clusters", () => {
  const errors: unknown[] = [];
  let cluster: Cluster;
  let client: Client;
  let dashboard: Dashboard;
  let admin: BrowserLike;
  let jane: BrowserLike;

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    client = createClient(cluster.connection());
    await installOperatorKinds(client);
    for (const name of [namespace, "other"])
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    await createObjects(client);
    await grant(client, { name: "jane", user: "jane", namespace, rights: [[sandboxes, "*", "get list watch"]] });
    await grant(client, { name: "everything", user: "admin", namespace, rights: [["*", "*", "*"]] });
    dashboard = await serveDashboard({
      access: clusterAccess({ connection: cluster.connection(), headers: testProxy }),
      findOperators: () => Promise.resolve([]),
      port: 0,
      onError: (error) => errors.push(error),
    });
    admin = new BrowserLike(dashboard.port);
    admin.setHeaders(asUser("admin"));
    jane = new BrowserLike(dashboard.port);
    jane.setHeaders(asUser("jane"));
  });
  after(async () => {
    admin.close();
    jane.close();
    await dashboard[Symbol.asyncDispose]();
    client.close();
    await cluster.stop();
    assert.deepEqual(errors, []);
  });

  const get = async (browser: BrowserLike, path: string): Promise<unknown> => {
    const { status, value, text } = await browser.get(path);
    assert.equal(status, 200, text);
    return value;
  };

  it("lists sandboxes of the namespaces that the user may read", async () => {
    const own = await get(jane, `/api/sandboxes?namespace=${namespace}`);
    const all = await get(jane, "/api/sandboxes");

    assert.deepEqual(
      listAt(own, "rows").map((row) => [at(row, "name"), at(row, "owner"), at(row, "drift")]),
      [["pr-42", "jane", "Behind"]],
    );
    assert.deepEqual([at(own, "mayChange"), at(own, "mayDelete")], [false, false]);
    assert.deepEqual(listAt(all, "rows"), []);
    assert.match(String(at(all, "notes", 0)), /not allowed to list and watch sandboxes\.sandbox\.example\.com in all/);
  });

  it("shows key forms and the differences of a fork from its baseline, unless the user may not read workloads", async () => {
    const path = `/api/sandbox?namespace=${namespace}&name=pr-42`;

    const details = await get(admin, path);
    const withoutWorkloads = await get(jane, path);

    assert.equal(at(details, "keyForms", 0, "text"), "x-routing-key: pr-42");
    const change = listAt(details, "diffs", 0, "changes").find((one) => String(at(one, "path")).endsWith("image"));
    assert.deepEqual([at(change, "old"), at(change, "new")], ["cart:1", "cart:2"]);
    assert.match(String(at(withoutWorkloads, "diffs", 0, "problem")), /not allowed to read the workloads of shop/);
    assert.equal((await admin.get("/api/sandbox?namespace=shop&name=missing")).status, 404);
    assert.equal((await admin.get("/api/sandbox?name=a")).status, 400);
  });

  it("evaluates the match tree of a group again after a change of labels", async () => {
    const matched = ({ event, data }: TestMessage): boolean =>
      event === "route-group" && listAt(data, "match", "matched").length === 1;
    const path = `/api/stream/route-group?namespace=${namespace}&name=checkout`;
    const stream = admin.stream(path);
    const { value: first } = await stream.next();
    assert.deepEqual(listAt(first.data, "match", "matched"), []);

    await client.patch(Sandbox, { namespace, name: "pr-42" }, { merge: { spec: { labels: { feature: "checkout" } } } });

    for await (const message of stream) if (matched(message)) break;
  });

  it("draws the routes with the tunnel and the Services of the namespace", async () => {
    const map = await get(admin, `/api/route-map?namespace=${namespace}`);
    const forJane = await get(jane, `/api/route-map?namespace=${namespace}`);

    const types = listAt(map, "nodes").map((node) => [at(node, "type"), at(node, "label")]);
    assert.deepEqual(types, [
      ["service", "cart"],
      ["fork", "cart"],
      ["tunnel", "cart"],
      ["service", "frontend"],
    ]);
    assert.match(String(at(forJane, "notes", 0)), /not allowed to list and watch services in namespace shop/);
    assert.equal(listAt(forJane, "nodes").length, 3);
  });

  it("explains requests with the table that the user may read", async () => {
    const path = "/api/explain?service=cart&namespace=";

    const baseline = await get(jane, `${path}${namespace}`);
    const fork = await get(jane, `${path}${namespace}&header=${encodeURIComponent("x-routing-key: pr-42")}`);
    const hidden = await get(jane, `${path}other`);

    assert.equal(at(baseline, "explanation", "outcome", "type"), "baseline");
    assert.equal(at(fork, "explanation", "outcome", "route", "sandbox"), "pr-42");
    assert.match(String(at(fork, "notes", 0)), /not allowed to get ConfigMap sandbox-system\/sandbox-config/);
    assert.match(String(at(hidden, "problem")), /no RouteTable other\/cart/);
    assert.equal((await jane.get("/api/explain?service=cart")).status, 400);
  });

  it("lists tunnels, policies and tables", async () => {
    const tunnels = await get(jane, `/api/tunnels?namespace=${namespace}`);
    const policies = await get(jane, `/api/policies?namespace=${namespace}`);
    const system = await get(jane, `/api/sandbox-system?namespace=${namespace}`);

    assert.deepEqual([at(tunnels, "rows", 0, "machine"), at(tunnels, "rows", 0, "isConnected")], ["laptop", true]);
    assert.deepEqual(at(policies, "rows", 0, "policies"), ["limits"]);
    assert.equal(at(system, "tables", 0, "proxies"), "1/2");
    assert.equal(listAt(system, "notes").length, 2);
  });

  it("shows Services that lost the key of a sandbox", async () => {
    const propagation = await get(jane, `/api/propagation?namespace=${namespace}`);

    assert.deepEqual(
      listAt(propagation, "rows").map((row) => [at(row, "from"), at(row, "to"), at(row, "count"), at(row, "traceId")]),
      [["frontend", "cart", 7, "4bf9"]],
    );
    assert.deepEqual([at(propagation, "rows", 0, "sandbox", "name"), at(propagation, "notes")], ["pr-42", []]);
  });

  it("previews a new sandbox with the verdict of admission, and creates it", async () => {
    const workloads = await get(admin, `/api/workloads?namespace=${namespace}`);
    const entry = {
      kind: "Deployment",
      name: "cart",
      container: "app",
      image: "cart:3",
      env: "LOG_LEVEL=debug\nCACHE-\n",
    };
    const form = { namespace, name: "pr-43", ttl: "8h", routingKey: "pr-43", entries: [entry] };

    const preview = await admin.post("/api/preview-sandbox", form);
    const before = await client.get(Sandbox, { namespace, name: "pr-43" });
    const denied = await admin.post("/api/preview-sandbox", { ...form, ttl: "1m" });
    const refused = await admin.post("/api/preview-sandbox", { name: "", entries: [{ ...entry, env: "A B" }] });
    const created = await admin.post("/api/create-sandbox", form);
    const again = await admin.post("/api/create-sandbox", form);

    assert.deepEqual(
      listAt(workloads, "rows").map((row) => [at(row, "kind"), at(row, "name"), at(row, "containers", 0, "image")]),
      [["Deployment", "cart", "cart:1"]],
    );
    assert.deepEqual([preview.status, at(preview.value, "denials")], [200, []], preview.text);
    assert.match(String(at(preview.value, "yaml")), /kind: Sandbox[^]*routingKey: pr-43[^]*image: cart:3/);
    assert.ok(listAt(preview.value, "effects").some((line) => String(line).includes("cart")));
    assert.equal(before, undefined, "a preview writes nothing");
    assert.match(String(at(denied.value, "denials", 0)), /^spec\.ttl: /);
    assert.equal(refused.status, 400);
    for (const word of ["Namespace", "Name is empty", "A B"])
      assert.ok(String(at(refused.value, "message")).includes(word));
    assert.equal(created.status, 200, created.text);
    const sandbox = await client.get(Sandbox, { namespace, name: "pr-43" });
    assert.deepEqual(sandbox?.spec.services[0]?.containers?.[0]?.env, [
      { name: "LOG_LEVEL", value: "debug", operation: "Upsert" },
      { name: "CACHE", operation: "Delete" },
    ]);
    assert.equal(again.status, 409);
    assert.equal((await jane.post("/api/create-sandbox", { ...form, name: "pr-44" })).status, 403);
    await client.delete(Sandbox, { namespace, name: "pr-43" });
  });

  it("restores a Service that is taken over, with the rights of the user", async () => {
    const place = { namespace, name: "frontend" };
    const service = await client.get(Service, place);
    assert.ok(service !== undefined);
    const original = JSON.stringify({ selector: { app: "frontend" }, targetPorts: { "80": 80 } });
    const merge = {
      metadata: { annotations: { [annotations.original]: original } },
      spec: { selector: { app: null, [labels.proxy]: "true" }, ports: [{ port: 80, targetPort: 21_000 }] },
    };
    await client.patch(Service, place, { merge });
    const system = await get(admin, `/api/sandbox-system?namespace=${namespace}`);
    const body = { ...place, uid: service.metadata.uid };

    assert.equal((await jane.post("/api/restore-service", body)).status, 403);
    const replaced = await admin.post("/api/restore-service", { ...body, uid: "another" });
    const restored = await admin.post("/api/restore-service", body);
    const again = await admin.post("/api/restore-service", body);

    assert.deepEqual([at(system, "takenOver", 0, "name"), at(system, "mayRestore")], ["frontend", true]);
    assert.equal(replaced.status, 409);
    assert.deepEqual([restored.status, at(restored.value, "wasTakenOver")], [200, true]);
    assert.equal(at(again.value, "wasTakenOver"), false);
    const after = await client.get(Service, place);
    assert.deepEqual([after?.spec?.selector, after?.spec?.ports?.[0]?.targetPort], [{ app: "frontend" }, 80]);
    const holdUntil = Date.parse(after?.metadata.annotations?.[annotations.holdUntil] ?? "");
    assert.ok(holdUntil > Date.now() + 9 * 60_000 && holdUntil < Date.now() + 11 * 60_000);
    assert.equal((await admin.post("/api/restore-service", { namespace })).status, 400);
  });

  it("extends, suspends and resumes a sandbox, with the rights of the user", async () => {
    const { metadata } = await read();
    const body = { group: sandboxes, kind: "Sandbox", namespace, name: "pr-42", uid: metadata.uid };
    async function read() {
      const sandbox = await client.get(Sandbox, { namespace, name: "pr-42" });
      assert.ok(sandbox !== undefined);
      return sandbox;
    }

    assert.equal((await admin.post("/api/action", { ...body, action: "extend", inputs: { time: "2h" } })).status, 200);
    assert.equal((await read()).spec.ttl, 2 * 86_400 + 7_200);
    assert.equal((await admin.post("/api/action", { ...body, action: "suspend" })).status, 200);
    assert.equal((await read()).spec.suspend, true);
    assert.equal((await admin.post("/api/action", { ...body, action: "suspend" })).status, 409, "it is suspended");
    assert.equal((await admin.post("/api/action", { ...body, action: "resume" })).status, 200);
    assert.equal((await read()).spec.suspend, false);
    assert.equal((await admin.post("/api/action", { ...body, action: "rebase" })).status, 200);
    assert.equal((await read()).metadata.annotations?.[`${sandboxes}/rebase`], "cart=3");
    const refused = await admin.post("/api/action", { ...body, action: "extend", inputs: { time: "soon" } });
    assert.deepEqual([refused.status, String(at(refused.value, "message")).includes('"soon"')], [400, true]);
    assert.equal((await jane.post("/api/action", { ...body, action: "suspend" })).status, 403);
  });

  it("pauses and resumes a streaming cluster", async () => {
    const place = { namespace, name: "events" };
    const { uid } = (await client.get(ChronikCluster, place))?.metadata ?? {};
    const body = { group: "chronik.stream", kind: "ChronikCluster", ...place, uid };

    assert.equal((await admin.post("/api/action", { ...body, action: "pause" })).status, 200);
    assert.equal((await client.get(ChronikCluster, place))?.spec.paused, true);
    assert.equal((await admin.post("/api/action", { ...body, action: "restart" })).status, 409);
    assert.equal((await admin.post("/api/action", { ...body, action: "resume" })).status, 200);
    assert.equal((await admin.post("/api/action", { ...body, action: "restart" })).status, 200);

    const object = await client.get(ChronikCluster, place);
    assert.equal(object?.spec.paused, false);
    assert.match(object?.metadata.annotations?.["chronik.stream/restart"] ?? "", /^\d{4}-/);
  });
});

/** Creates a sandbox with a fork and a tunnel, as the operator would leave them. */
async function createObjects(client: Client): Promise<void> {
  const metadata = (name: string) => ({ namespace, name });
  const status = { subresource: "status" } as const;
  const deployment = (name: string, image: string, own: Readonly<Record<string, string>> = {}) => ({
    apiVersion: "apps/v1" as const,
    kind: "Deployment" as const,
    metadata: { ...metadata(name), labels: own },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "app", image }] } },
    },
  });
  await client.create(Deployment, deployment("cart", "cart:1"));
  await client.create(Deployment, deployment("pr-42-cart", "cart:2", { [labels.sandbox]: "pr-42" }));
  for (const name of ["cart", "frontend"])
    await client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: metadata(name),
      spec: { selector: { app: name }, ports: [{ port: 80 }] },
    });
  const services = [{ name: "cart", targetRef: { name: "cart" } }];
  await client.create(Sandbox, Sandbox.make({ metadata: metadata("pr-42"), spec: { ttl: "2d", services } }));
  const entry = { name: "cart", forkName: "pr-42-cart", drift: "Behind" as const, baseline: { generation: 3 } };
  const sandboxStatus = { routingKey: "pr-42", createdBy: "jane", services: [entry], summary: { drift: "Behind" } };
  await client.patch(Sandbox, metadata("pr-42"), { merge: { status: sandboxStatus } }, status);
  const match = { label: { key: "feature", value: "checkout" } };
  await client.create(RouteGroup, RouteGroup.make({ metadata: metadata("checkout"), spec: { match } }));
  const ports = [{ port: 80, targetService: "pr-42-cart", targetPort: 80 }];
  const sandboxUid = (await client.get(Sandbox, metadata("pr-42")))?.metadata.uid ?? "";
  const route = {
    routingKey: "pr-42",
    sandbox: "pr-42",
    sandboxUid,
    workload: "cart",
    source: "Sandbox" as const,
    ports,
  };
  const tunnelRoute = { ...route, routingKey: "jane", sandbox: "jane", mode: "Local" as const };
  await client.create(
    RouteTable,
    RouteTable.make({
      metadata: metadata("cart"),
      spec: {
        service: "cart",
        version: "v1",
        ports: [{ port: 80, baselineTarget: "cart--base.shop.svc:80" }],
        entries: [route, tunnelRoute],
      },
    }),
  );
  const lost = { from: "frontend", to: "cart", count: 7, traceId: "4bf9", lastTime: "2026-11-18T10:00:00Z" };
  const tableStatus = { proxies: { total: 2, synced: 1 }, lostKeys: { [sandboxUid]: lost } };
  await client.patch(RouteTable, metadata("cart"), { merge: { status: tableStatus } }, status);
  const service = { name: "cart", ports: [{ name: "web", containerPort: 8080 }] };
  const spec = { sandboxRef: { name: "jane" }, service };
  await client.create(LocalWorkload, LocalWorkload.make({ metadata: metadata("jane-cart"), spec }));
  const tunnelStatus = { phase: "Connected" as const, connection: { host: "laptop" } };
  await client.patch(LocalWorkload, metadata("jane-cart"), { merge: { status: tunnelStatus } }, status);
  await client.create(SandboxPolicy, SandboxPolicy.make({ metadata: metadata("limits"), spec: {} }));
  await client.create(
    ChronikCluster,
    ChronikCluster.make({ metadata: metadata("events"), spec: { storage: {}, metastore: {} } }),
  );
}
