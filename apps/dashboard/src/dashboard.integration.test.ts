// The dashboard of a laptop on an embedded cluster with an operator in the same process.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient, isStream, type Layer } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Secret } from "@homeostat/kubernetes/core/v1";
import type { Manager } from "@homeostat/runtime";
import { type LoopbackDashboard, serveOnLoopback } from "./serve-on-loopback.ts";
import { at, BrowserLike, listAt, type TestMessage, type TestResponse } from "./testing/browser-like.ts";
import { createSite, installSites, siteOperator } from "./testing/site-operator.ts";
import { loopbackEndpoint, type OperatorEndpoint } from "./why/operator-endpoint.ts";

const siteQuery = (name: string): string => `group=example.com&kind=Site&namespace=default&name=${name}`;

describe("the dashboard of a laptop", () => {
  const stopping = new AbortController();
  const errors: unknown[] = [];
  let cluster: Cluster;
  let client: Client;
  let manager: Manager;
  let running: Promise<void>;
  let dashboard: LoopbackDashboard;
  let browser: BrowserLike;

  before(async () => {
    cluster = await startCluster();
    client = createClient(cluster.connection());
    await installSites(client);
    manager = siteOperator(cluster.connection());
    running = manager.run(stopping.signal);
    const endpoint = loopbackEndpoint("site-operator", () => manager.ports[0]);
    dashboard = await serveOnLoopback({
      client,
      connection: cluster.connection(),
      port: 0,
      findOperators: () => Promise.resolve([endpoint]),
      onError: (error) => errors.push(error),
    });
    browser = new BrowserLike(dashboard.port);
    await createSite(client, "shop", 2);
  });
  after(async () => {
    browser.close();
    await dashboard[Symbol.asyncDispose]();
    stopping.abort(new Error("the test is over"));
    await running;
    client.close();
    await cluster.stop();
    assert.deepEqual(errors, []);
  });

  it("refuses data and writes without a login", async () => {
    const { status, value } = await browser.get("/api/overview");

    assert.equal(status, 401);
    assert.match(String(at(value, "message")), /Open the URL that the program printed/);
    assert.equal((await browser.get("/api/stream/overview")).status, 401);
    assert.equal((await browser.post("/api/delete", {})).status, 401);
  });

  it("accepts a login link once, and only with its token", async () => {
    const other = new BrowserLike(dashboard.port);

    assert.equal((await other.login(`http://127.0.0.1:${dashboard.port}/login?token=guess`)).status, 401);
    const first = await browser.login(dashboard.url);
    assert.equal(first.status, 200);
    assert.match(
      String(first.headers["set-cookie"]),
      /^homeostat-dashboard-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    assert.match((await other.login(dashboard.url)).text, /was used before/);
    assert.equal((await browser.login(dashboard.url)).status, 200, "the browser that used it may open it again");
    other.close();
  });

  it("serves pages for browsers without scripts, with the login of the page", async () => {
    const stranger = new BrowserLike(dashboard.port);

    const [overview, resource, operators, missing, unknown, refused] = await Promise.all([
      browser.get("/?plain"),
      browser.get("/resource/example.com/Site/default/shop?plain"),
      browser.get("/operators?plain"),
      browser.get("/resource/example.com/Site/default/none?plain"),
      browser.get("/resource/example.com/Nothing/default/none?plain"),
      stranger.get("/?plain"),
    ]);

    stranger.close();
    assert.match(overview.text, /<a href="\/resource\/example.com\/Site\/default\/shop\?plain">shop<\/a>/);
    assert.match(resource.text, /<h1>Site shop<\/h1>/);
    assert.match(operators.text, /<h2>Process site-operator<\/h2>/);
    assert.deepEqual(
      [overview, resource, operators, missing].map(({ status }) => status),
      [200, 200, 200, 404],
    );
    assert.match(missing.text, /The object does not exist/);
    assert.equal(unknown.status, 404);
    assert.match(unknown.text, /The API server does not serve the kind Nothing/);
    assert.equal(refused.status, 401);
    assert.doesNotMatch(refused.text, /shop/);
    assert.match(String(overview.headers["content-security-policy"]), /default-src 'none'/);
    assert.match(
      (await browser.get("/")).text,
      /<noscript><meta http-equiv="refresh" content="0;url=\?plain" \/><\/noscript>/,
    );
  });

  it("serves the page with a strict policy for every path of the application", async () => {
    for (const path of ["/", "/operators", "/resource/example.com/Site/default/shop"]) {
      const { status, headers, text } = await browser.get(path);

      assert.equal(status, 200);
      assert.match(text, /<div id="app">/);
      assert.match(
        String(headers["content-security-policy"]),
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      assert.doesNotMatch(String(headers["content-security-policy"]), /unsafe|\*|http/);
      assert.equal(headers["x-frame-options"], "DENY");
    }
    const script = await browser.get("/page.js");
    assert.equal(script.headers["content-type"], "text/javascript; charset=utf-8");
    assert.equal((await browser.get("/page.js", { "if-none-match": String(script.headers["etag"]) })).status, 304);
    assert.equal((await browser.get("/page.js", { "accept-encoding": "gzip" })).headers["content-encoding"], "gzip");
    assert.equal((await browser.get("/missing.js")).status, 404);
  });

  it("refuses other hosts, other origins and writes of forms", async () => {
    assert.equal((await browser.get("/", { host: "evil.example.com" })).status, 421);
    assert.equal((await browser.get("/api/overview", { origin: "http://evil.example.com" })).status, 403);
    assert.equal((await browser.get("/api/overview", { "sec-fetch-site": "cross-site" })).status, 403);
    assert.equal((await browser.post("/api/delete", {}, { "content-type": "text/plain" })).status, 415);
    assert.equal((await browser.post("/api/delete", {}, { origin: "http://127.0.0.1:1" })).status, 403);
  });

  it("lists custom resources by state with their last change", async () => {
    const isReady = ({ event, data }: TestMessage): boolean =>
      (event === "overview" || event === "change") && at(listAt(data, "rows")[0], "state") === "ready";

    const rows = listAt(await browser.until("/api/stream/overview", isReady), "rows");

    const { kind, namespace, name, word, lastChange } = rows[0] as Record<string, unknown>;
    assert.deepEqual([kind, namespace, name, word], ["Site", "default", "shop", "Ready"]);
    assert.equal(at(lastChange, "subresource"), "status");
    const { value } = await browser.get("/api/overview");
    assert.deepEqual(at(value, "kinds", 0, "operator"), "site-operator");
    assert.deepEqual(listAt((await browser.get("/api/overview?namespace=other")).value, "rows"), []);
  });

  it("sends new and deleted resources", async () => {
    const stream = browser.stream("/api/stream/overview");
    await stream.next();
    const ref = { group: "example.com", kind: "Site", namespace: "default", name: "cafe" };
    let uid: unknown;
    let response: Promise<TestResponse> | undefined;

    await createSite(client, ref.name);
    for await (const { data } of stream) {
      const row = listAt(data, "rows").find((one) => at(one, "name") === ref.name);
      if (row !== undefined && uid === undefined) {
        uid = at(row, "uid");
        response = browser.post("/api/delete", { ...ref, uid });
      }
      if (uid !== undefined && listAt(data, "removed").includes(uid)) break;
    }

    assert.deepEqual((await response)?.value, { wasFound: true });
  });

  it("shows the tree down to pods, conditions, events and the managers of fields", async () => {
    const isComplete = ({ event, data }: TestMessage): boolean =>
      event === "resource" &&
      listAt(data, "tree").filter((node) => at(node, "kind") === "Pod" && at(node, "state") === "ready").length === 2;

    const view = await browser.until(`/api/stream/resource?${siteQuery("shop")}`, isComplete);

    const kinds = listAt(view, "tree").map((node) => String(at(node, "kind")));
    assert.deepEqual(kinds, ["Site", "Deployment", "ReplicaSet", "Pod", "Pod"]);
    assert.equal(at(view, "conditions", 0, "type"), "Ready");
    assert.ok(listAt(view, "events").some((event) => at(event, "reason") === "ScalingReplicaSet"));
    const replicas = listAt(view, "yaml").find((line) => String(at(line, "text")).includes("replicas:"));
    assert.deepEqual(at(replicas, "managers"), ["homeostat"]);
    assert.equal(at(view, "mayDelete"), true);
    assert.deepEqual(at(view, "hiddenKinds"), []);
  });

  it("never shows the data of a Secret, nor the names of its keys", async () => {
    const annotations = {
      "kubectl.kubernetes.io/last-applied-configuration": '{"stringData":{"passphrase":"hunter2"}}',
    };
    await client.create(Secret, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "default", name: "db", annotations },
      stringData: { passphrase: "hunter2" },
    });

    const { status, text, value } = await browser.get("/api/resource?group=&kind=Secret&namespace=default&name=db");

    assert.equal(status, 200);
    assert.equal(at(value, "ref", "name"), "db");
    assert.doesNotMatch(text, /passphrase|hunter2|aHVudGVyMg/);
  });

  it("shows other built-in objects", async () => {
    await client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "default", name: "settings" },
      data: { theme: "dark" },
    });

    const { text } = await browser.get("/api/resource?group=&kind=ConfigMap&namespace=default&name=settings");

    assert.match(text, /theme: dark/);
  });

  it("explains which object or kind does not exist", async () => {
    const statuses = await Promise.all(
      [
        "/api/resource?group=example.com&kind=Site&namespace=default&name=none",
        "/api/resource?group=example.com&kind=Other&namespace=default&name=a",
        "/api/resource?group=example.com&kind=Site&name=shop",
        "/api/resource?group=example.com&kind=Site",
        "/api/other",
      ].map(async (path) => (await browser.get(path)).status),
    );

    assert.deepEqual(statuses, [404, 404, 400, 400, 404]);
    assert.equal((await browser.post("/api/delete", { kind: "Site" })).status, 400);
    assert.equal((await browser.post("/api/other", {})).status, 404);
  });

  it("does not delete an object that was replaced by another of the same name", async () => {
    const body = {
      group: "example.com",
      kind: "Site",
      namespace: "default",
      name: "shop",
      uid: "00000000-0000-0000-0000-000000000000",
    };

    assert.equal((await browser.post("/api/delete", body)).status, 409);
  });

  it("shows what the controller did about an object and why", async () => {
    const view = await browser.until(
      `/api/stream/why?${siteQuery("shop")}`,
      ({ event, data }) => event === "why" && listAt(data, "histories", 0, "explanation", "reconciles").length > 0,
    );

    assert.deepEqual(
      [at(view, "histories", 0, "controller"), at(view, "histories", 0, "process")],
      ["sites", "site-operator"],
    );
    const reconciles = listAt(view, "histories", 0, "explanation", "reconciles");
    const writes = reconciles.flatMap((reconcile) => listAt(reconcile, "writes"));
    assert.ok(
      writes.some((write) => at(write, "resource") === "deployments.apps" && at(write, "result") === "written"),
    );
    const [process] = listAt(view, "processes");
    assert.equal(at(process, "isLeading"), true);
    assert.ok(
      listAt(process, "informers").some(
        (one) => at(one, "name") === "sites.example.com" && at(one, "state") === "watching",
      ),
    );
  });

  it("shows the drift that the operator corrected, in the page of the resource and without scripts", async () => {
    const scaledByUser = {
      merge: { spec: { template: { spec: { containers: [{ name: "web", image: "evil:1" }] } } } },
    };
    const key = { namespace: "default", name: "shop" };
    await client.patch(Deployment, key, scaledByUser, { fieldManager: "kubectl-edit" });

    const view = await browser.until(
      `/api/stream/resource?${siteQuery("shop")}`,
      ({ event, data }) => event === "drift" && listAt(data, "entries").length > 0,
    );

    const { object, fields, managers, controller } = listAt(view, "entries")[0] as Record<string, unknown>;
    assert.deepEqual([object, managers, controller], ["Deployment default/shop", ["kubectl-edit"], "sites"]);
    assert.match(String(fields), /^spec\.template\.spec\.containers.*image/);
    const { text } = await browser.get("/resource/example.com/Site/default/shop?plain");
    assert.match(text, /<h2>Drift log<\/h2>[^]*Deployment default\/shop[^]*kubectl-edit/);
    const why = (await browser.get("/why/example.com/Site/default/shop?plain")).text;
    assert.match(why, /get sites\.example\.com from the cache/);
    assert.match(why, /condition Ready: none → False \(Counted\)/);
    assert.match(why, /<h3>Corrected drift<\/h3>[^]*kubectl-edit/);
    const denied = await browser.get("/api/drift?group=example.com&kind=Other&namespace=default&name=shop");
    assert.equal(denied.status, 404);
  });

  it("shows an operator that does not respond", async () => {
    await using other = await serveOnLoopback({
      client,
      connection: cluster.connection(),
      port: 0,
      findOperators: () =>
        Promise.resolve([loopbackEndpoint("stopped", () => 1), loopbackEndpoint("starting", () => undefined)]),
      onError: (error) => errors.push(error),
    });
    const second = new BrowserLike(other.port);
    await second.login(other.url);

    const { value } = await second.get("/api/why");

    assert.match(String(at(value, "processes", 0, "problem")), /ECONNREFUSED/);
    assert.equal(at(value, "processes", 1, "problem"), "starting is starting.");
    second.close();
  });

  it("reports requests that the API server refuses, and goes on when it accepts them again", async () => {
    const stream = browser.stream("/api/stream/overview");
    await stream.next();
    const fault = cluster.server.faults.add({
      match: ({ info }) => info.resource === "sites" && (info.verb === "list" || info.verb === "watch"),
      times: Infinity,
      when: "before",
      action: { do: "cut" },
    });
    cluster.server.watchFaults.drop(({ prefix }) => prefix.includes("sites"));

    let shown = "";
    for await (const { event, data } of stream) {
      if (event !== "problems") continue;
      const [problem] = listAt(data, "problems");
      if (problem === undefined) break;
      shown = JSON.stringify(problem);
      fault.remove();
    }

    assert.match(shown, /^"sites\.example\.com: GET \/apis\/example\.com\/v1\/sites/);
  });

  it("sends requests only while a page is open", async () => {
    let sent = 0;
    const watches: AbortSignal[] = [];
    const count: Layer = (next) => ({
      send(request) {
        sent += 1;
        if (isStream(request) && request.signal !== undefined) watches.push(request.signal);
        return next.send(request);
      },
    });
    using counted = createClient(cluster.connection(), { layers: [count] });
    let asked = 0;
    const endpoint: OperatorEndpoint = {
      name: "site-operator",
      get() {
        asked += 1;
        return Promise.resolve({ status: 200, value: { isLeading: true } });
      },
    };
    await using other = await serveOnLoopback({
      client: counted,
      connection: cluster.connection(),
      port: 0,
      findOperators: () => Promise.resolve([endpoint]),
      onError: (error) => errors.push(error),
    });
    const second = new BrowserLike(other.port);
    await second.login(other.url);
    await second.get("/");
    assert.deepEqual([sent, asked], [0, 0]);

    await second.until("/api/stream/overview", ({ event }) => event === "overview");
    await second.until(`/api/stream/resource?${siteQuery("shop")}`, ({ event }) => event === "drift");
    await second.until("/api/stream/why", ({ event }) => event === "why");
    second.close();
    while (other.streams > 0) await new Promise((resolve) => setImmediate(resolve));
    const after = [sent, asked];

    assert.ok(sent > 0 && watches.length >= 2, `${sent} requests, ${watches.length} watches`);
    assert.ok(watches.every(({ aborted }) => aborted));
    assert.ok(asked > 0);
    // The open page of another server goes on meanwhile, so that time has passed for this one, too.
    await browser.until("/api/stream/overview", ({ event }) => event === "overview");
    assert.deepEqual([sent, asked], after);
  });

  it("refuses more than 50 open streams, and opens another one when a page is closed", async () => {
    const endpoint = loopbackEndpoint("none", () => undefined);
    const findOperators = (): Promise<OperatorEndpoint[]> => Promise.resolve([endpoint]);
    const onError = (error: unknown): void => void errors.push(error);
    const connection = cluster.connection();
    await using other = await serveOnLoopback({ client, connection, port: 0, findOperators, onError });
    const second = new BrowserLike(other.port);
    await second.login(other.url);
    const streams = Array.from({ length: 50 }, () => second.stream("/api/stream/why"));
    await Promise.all(streams.map((stream) => stream.next()));

    const refused = await second.get("/api/stream/why");
    await streams[0]?.return(undefined);
    while (other.streams === 50) await new Promise((resolve) => setImmediate(resolve));
    const { event } = (await second.stream("/api/stream/why").next()).value ?? {};

    assert.equal(refused.status, 503);
    assert.match(String(at(refused.value, "message")), /^50 pages are open/);
    assert.equal(event, "why");
    second.close();
  });
});
