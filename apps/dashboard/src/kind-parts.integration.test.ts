// Data and actions of load tests and tenants on an embedded cluster.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient, type Layer } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { ConfigMap, Namespace, ResourceQuota } from "@homeostat/kubernetes/core/v1";
import { ClusterRole, ClusterRoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { LocustTest } from "@homeostat/locust-operator";
import { Tenant } from "@homeostat/tenant-operator";
import { clusterAccess } from "./access/cluster-access.ts";
import { type LoadPoint, pointColumns } from "./api/load-tests.ts";
import { type LoopbackDashboard, serveOnLoopback } from "./serve-on-loopback.ts";
import { type Dashboard, serveDashboard } from "./server/serve-dashboard.ts";
import { at, BrowserLike, listAt, type TestMessage } from "./testing/browser-like.ts";
import { createTest, FakeSeries, installKinds, setStatus } from "./testing/load-tests.ts";
import { asUser, testProxy } from "./testing/test-proxy.ts";

const pointAt = (second: number): LoadPoint => [
  Date.UTC(2026, 10, 18, 12, 0, second),
  ...pointColumns.slice(1).map(() => second),
];
const testQuery = (name: string): string => `group=locust.io&kind=LocustTest&namespace=default&name=${name}`;
const bodyOf = (name: string, uid: string, action: string) => ({
  group: "locust.io",
  kind: "LocustTest",
  namespace: "default",
  name,
  uid,
  action,
});

describe("parts of single kinds", { timeout: 300_000 }, () => {
  const errors: unknown[] = [];
  const series = new FakeSeries();
  /** Called before the next patch of a load test is sent. */
  let beforePatch: (() => Promise<void>) | undefined;
  let cluster: Cluster;
  let client: Client;
  let dashboardClient: Client;
  let dashboard: LoopbackDashboard;
  let shared: Dashboard;
  let browser: BrowserLike;

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    client = createClient(cluster.connection());
    await installKinds(client);
    const interrupt: Layer = (next) => ({
      async send(request) {
        const run = request.method === "PATCH" ? beforePatch : undefined;
        if (run !== undefined) beforePatch = undefined;
        await run?.();
        return next.send(request);
      },
    });
    dashboardClient = createClient(cluster.connection(), { layers: [interrupt] });
    const onError = (error: unknown): number => errors.push(error);
    const findOperators = () => Promise.resolve([series.endpoint]);
    const connection = cluster.connection();
    dashboard = await serveOnLoopback({ client: dashboardClient, connection, port: 0, findOperators, onError });
    browser = new BrowserLike(dashboard.port);
    await browser.login(dashboard.url);
    shared = await serveDashboard({
      access: clusterAccess({ connection, headers: testProxy }),
      findOperators: () => Promise.resolve([]),
      port: 0,
      onError,
    });
    await client.create(ClusterRole, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "reader" },
      rules: [
        { apiGroups: ["locust.io"], resources: ["locusttests"], verbs: ["get", "list", "watch"] },
        { apiGroups: ["neurallog.io"], resources: ["tenants"], verbs: ["get", "list", "watch"] },
      ],
    });
    await client.create(ClusterRoleBinding, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
      subjects: [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }],
    });
  });
  after(async () => {
    browser.close();
    await dashboard[Symbol.asyncDispose]();
    await shared[Symbol.asyncDispose]();
    dashboardClient.close();
    client.close();
    await cluster.stop();
    assert.deepEqual(errors, []);
  });

  /** Follows a stream and returns the points of the first shown run after each message, until there are enough messages that match. */
  async function follow(
    path: string,
    steps: readonly ((changes: unknown, points: readonly unknown[]) => Promise<void> | void)[],
  ) {
    let points: readonly unknown[] = [];
    let step = 0;
    for await (const { event, data } of browser.stream(path)) {
      if (event !== "part") continue;
      const [change] = listAt(data, "changes");
      const sent = at(change, "points");
      if (sent !== undefined) points = at(change, "isAppended") === true ? [...points, ...listAt(sent)] : listAt(sent);
      try {
        await steps[step]?.(change, points);
      } catch (error) {
        if (!(error instanceof assert.AssertionError)) throw error;
        continue;
      }
      step += 1;
      if (step === steps.length) return;
    }
    assert.fail(`${path} ended`);
  }

  it("shows a run from its start, follows it, and shows the next one", async () => {
    const uid = await createTest(client, "live", { phase: "Running", run: 1 });
    series.runs.set(`${uid} 1`, [pointAt(1), pointAt(2)]);
    const times = (points: readonly unknown[]): number[] => points.map((point) => Number(at(point, 1)));

    await follow(`/api/stream/resource?${testQuery("live")}`, [
      (_change, points) => {
        assert.deepEqual(times(points), [1, 2]);
        series.runs.get(`${uid} 1`)?.push(pointAt(3));
      },
      async (change, points) => {
        assert.deepEqual(times(points), [1, 2, 3]);
        assert.equal(at(change, "isAppended"), true, "only the new point was sent");
        series.runs.set(`${uid} 2`, [pointAt(9)]);
        await setStatus(client, "live", { run: 2, history: [{ run: 1, outcome: "Passed" }] });
      },
      (_change, points) => assert.deepEqual(times(points), [9]),
    ]);

    assert.ok(series.paths.some((path) => /^\/load-tests\/default\/live\?run=1&after=\d+$/.test(path)));
  });

  it("sends the resource first, and the data of its kind in the same stream", async () => {
    await createTest(client, "order", { phase: "Pending" });
    const events: string[] = [];

    for await (const { event } of browser.stream(`/api/stream/resource?${testQuery("order")}`)) {
      events.push(event);
      if (event === "part") break;
    }

    assert.equal(events[0], "resource");
    const { value } = await browser.get(`/api/resource?${testQuery("order")}`);
    assert.equal(at(value, "ref", "name"), "order");
    assert.deepEqual(
      listAt(value, "actions").map((action) => at(action, "name")),
      ["stop"],
    );
  });

  it("shows the stored results of a run that no operator process has", async () => {
    const uid = await createTest(client, "stored", {
      phase: "Succeeded",
      result: { outcome: "Passed", totalRequests: 3 },
    });
    const owner = { apiVersion: "locust.io/v2", kind: "LocustTest", name: "stored", uid };
    await client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "default", name: "stored-results", ownerReferences: [owner] },
      data: { "series.csv": "at,users\n2026-11-18T12:00:00Z,5\n2026-11-18T12:00:05Z,6\n" },
    });

    await follow(`/api/stream/compare?test=default/stored`, [
      (change, points) => {
        assert.deepEqual(
          points.map((point) => at(point, 1)),
          [5, 6],
        );
        assert.equal(at(change, "test", "source"), "results");
        assert.equal(at(change, "test", "thresholds", 0, "max"), 500);
      },
    ]);
  });

  it("says that statistics were not kept, and ignores a ConfigMap of another owner", async () => {
    await createTest(client, "lost", { phase: "Failed", result: { outcome: "Aborted" } });
    await client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "default", name: "lost-results" },
      data: { "series.csv": "at,users\n2026-11-18T12:00:00Z,5\n" },
    });

    await follow(`/api/stream/resource?${testQuery("lost")}`, [
      (change, points) => {
        assert.match(String(at(change, "test", "note")), /were not kept/);
        assert.deepEqual(points, []);
      },
    ]);
  });

  it("collects the values of the status while the page is open, without an operator process", async () => {
    const progress = (second: number) => ({
      state: "running",
      currentUsers: second,
      lastUpdated: `2026-11-18T12:00:0${second}Z`,
    });
    await createTest(client, "remote", { phase: "Running", progress: progress(1) });
    const jane = new BrowserLike(shared.port);
    jane.setHeaders(asUser("jane"));
    const users: unknown[] = [];
    let note = "";

    for await (const { event, data } of jane.stream(`/api/stream/resource?${testQuery("remote")}`)) {
      if (event !== "part") continue;
      users.push(...listAt(data, "changes", 0, "points").map((point) => at(point, 1)));
      const sent = at(data, "changes", 0, "test", "note");
      if (typeof sent === "string") note = sent;
      if (users.length === 1 && note !== "") await setStatus(client, "remote", { progress: progress(2) });
      if (users.length > 1) break;
    }

    assert.deepEqual(users, [1, 2]);
    assert.match(note, /begin when this page was opened.*No process of the Locust operator was found/);
    jane.close();
  });

  it("lists the runs that can be compared, and refuses wrong references", async () => {
    const { value } = await browser.get("/api/compare?test=default/live@1&test=default/missing");

    const candidates = listAt(value, "candidates").map((one) => `${String(at(one, "name"))}@${String(at(one, "run"))}`);
    assert.ok(candidates.includes("live@1") && candidates.includes("live@2"), candidates.join());
    assert.equal(at(value, "changes", 0, "test", "outcome"), "Passed");
    assert.equal(at(value, "changes", 1, "test"), null);
    assert.equal((await browser.get("/api/compare?test=live")).status, 400);
    assert.equal((await browser.get(`/api/compare?${"test=default/a&".repeat(7)}`)).status, 400);
    const joe = new BrowserLike(shared.port);
    joe.setHeaders(asUser("joe"));
    assert.equal((await joe.get("/api/compare?test=default/live")).status, 403);
    joe.close();
  });

  it("stops a run with the reason of the user", async () => {
    const uid = await createTest(client, "stop", { phase: "Running" });

    const empty = await browser.post("/api/action", { ...bodyOf("stop", uid, "stop"), inputs: { reason: " " } });
    const sent = await browser.post("/api/action", { ...bodyOf("stop", uid, "stop"), inputs: { reason: "too slow" } });

    assert.equal(empty.status, 400);
    assert.equal(sent.status, 200);
    const test = await client.get(LocustTest, { namespace: "default", name: "stop" });
    assert.equal(test?.metadata.annotations?.["locust.io/stop"], "too slow");
  });

  it("refuses actions on a replaced object, in another state, and with unknown names", async () => {
    const uid = await createTest(client, "refused", { phase: "Running" });
    const statusOf = async (body: object): Promise<number> => (await browser.post("/api/action", body)).status;

    assert.equal(await statusOf(bodyOf("refused", "00000000-0000-0000-0000-000000000000", "stop")), 409);
    assert.equal(await statusOf(bodyOf("refused", uid, "rerun")), 409);
    assert.equal(await statusOf(bodyOf("refused", uid, "other")), 404);
    assert.equal(await statusOf({ ...bodyOf("refused", uid, "stop"), inputs: { reason: 5 } }), 400);
  });

  it("offers no action to a user who may not patch the object, and refuses it", async () => {
    const uid = await createTest(client, "guarded", { phase: "Running" });
    const jane = new BrowserLike(shared.port);
    jane.setHeaders(asUser("jane"));

    const { value } = await jane.get(`/api/resource?${testQuery("guarded")}`);
    const { status } = await jane.post("/api/action", bodyOf("guarded", uid, "stop"));

    assert.deepEqual(at(value, "actions"), []);
    assert.equal(status, 403);
    jane.close();
  });

  it("decides again when the object changed between reading and write", async () => {
    const uid = await createTest(client, "raced", { phase: "Running" });
    beforePatch = () => setStatus(client, "raced", { connectedWorkers: 1 });

    assert.equal((await browser.post("/api/action", bodyOf("raced", uid, "stop"))).status, 200);
    const test = await client.get(LocustTest, { namespace: "default", name: "raced" });
    assert.equal(test?.metadata.annotations?.["locust.io/stop"], "stopped in the dashboard");
  });

  it("does not stop a run that has ended between reading and write", async () => {
    const uid = await createTest(client, "ended", { phase: "Running" });
    beforePatch = () => setStatus(client, "ended", { phase: "Succeeded" });

    const { status, value } = await browser.post("/api/action", bodyOf("ended", uid, "stop"));

    assert.equal(status, 409);
    assert.match(String(at(value, "message")), /Stop is not possible in the present state of LocustTest ended/);
    const test = await client.get(LocustTest, { namespace: "default", name: "ended" });
    assert.equal(test?.metadata.annotations?.["locust.io/stop"], undefined);
  });

  it("shows the use of a tenant's quota as it changes, and hibernates the tenant", async () => {
    const namespace = "tenant-acme";
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const created = await client.create(Tenant, Tenant.make({ metadata: { name: "acme" }, spec: {} }));
    const quota = { namespace, name: "tenant-quota" };
    await client.create(ResourceQuota, {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: quota,
      spec: { hard: { configmaps: "4" } },
    });
    await client.patch(
      Tenant,
      { name: "acme" },
      { merge: { status: { phase: "Running", namespace } } },
      { subresource: "status" },
    );
    const query = "group=neurallog.io&kind=Tenant&name=acme";
    const stream = browser.stream(`/api/stream/resource?${query}`);
    const used: unknown[] = [];

    for await (const { event, data } of stream) {
      if (event !== "part" || listAt(data, "quota").length === 0) continue;
      used.push(at(data, "quota", 0, "used"), at(data, "quota", 0, "ratio"));
      if (used.length > 2) break;
      // The API server counts the use itself.
      await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "one" } });
    }

    assert.deepEqual(used, ["0", 0, "1", 0.25]);
    const body = { group: "neurallog.io", kind: "Tenant", name: "acme", uid: created.metadata.uid };
    assert.equal((await browser.post("/api/action", { ...body, action: "resume" })).status, 409);
    assert.equal((await browser.post("/api/action", { ...body, action: "hibernate" })).status, 200);
    const tenant = await client.get(Tenant, { name: "acme" });
    assert.equal(tenant?.spec.hibernation?.enabled, true);
    assert.equal((await browser.post("/api/action", { ...body, action: "resume" })).status, 200);
  });

  it("says that the user may not read the quota", async () => {
    const jane = new BrowserLike(shared.port);
    jane.setHeaders(asUser("jane"));
    const isPart = ({ event }: TestMessage): boolean => event === "part";

    const view = await jane.until("/api/stream/resource?group=neurallog.io&kind=Tenant&name=acme", isPart);

    assert.match(String(at(view, "note")), /not allowed to list and watch resourcequotas in namespace tenant-acme/);
    jane.close();
  });
});
