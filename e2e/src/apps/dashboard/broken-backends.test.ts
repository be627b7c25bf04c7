// The dashboard in a browser while its data sources fail: it says what is wrong, and recovers without help. The operator is one of a user, not of this
// repository.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { type LoopbackDashboard, loopbackEndpoint, serveOnLoopback } from "@homeostat/dashboard";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { ClusterRole, ClusterRoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { createManager, defineController, desired, type Manager, managed, silentLogger } from "@homeostat/runtime";
import { defineResource, s } from "@homeostat/schema";
import { Browser } from "../../harness/browser.ts";
import { whyNoProgram } from "../../harness/debian-programs.ts";
import { installKind } from "../../harness/install-kind.ts";

const skip = (await whyNoProgram("chromium")) ?? false;

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: { title: s.string().default("") },
  conditions: ["Ready"],
});
const Plan = defineResource({ group: "example.com", version: "v1", kind: "Plan", spec: { size: s.int().default(1) } });

const reader = (name: string, plural: string, group: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1" as const,
  kind: "ClusterRole" as const,
  metadata: { name },
  rules: [{ apiGroups: [group], resources: [plural], verbs: ["get", "list", "watch"] }],
});

const mainText = "document.querySelector('main').innerText";
const statusText = `document.querySelector("[role=status]").innerText`;

describe("the dashboard with broken backends", { skip, timeout: 300_000 }, () => {
  let cluster: Cluster;
  let admin: Client;
  let client: Client;
  let dashboard: LoopbackDashboard;
  let browser: Browser;
  let operator: { readonly manager: Manager; stop(): Promise<void> };
  /** Another operator, whose page `/why` a test replaces. */
  let other: Server;
  let otherResponse: { status: number; body: string } = { status: 200, body: '{"isLeading":true}' };
  let origin = "";

  /** Starts the operator of Sites. It has a ConfigMap for each one. */
  function startOperator(): typeof operator {
    const sites = defineController({
      for: Site,
      owns: { configs: managed(ConfigMap) },
      async reconcile({ object, name, managed: objects, setCondition }) {
        const config = desired(ConfigMap, { metadata: { name }, data: { title: object.spec.title } });
        (await objects.sync([{ name: "configs", objects: [config] }])).throwIfFailed();
        setCondition("Ready", { status: true, reason: "Written", message: "The ConfigMap has the title" });
      },
    });
    const manager = createManager({
      name: "site-operator",
      connection: cluster.connection(),
      controllers: [sites],
      http: { port: 0, host: "127.0.0.1" },
      log: silentLogger,
      env: {},
    });
    const stopping = new AbortController();
    const running = manager.run(stopping.signal);
    return {
      manager,
      async stop() {
        stopping.abort(new Error("the operator stops"));
        await running;
      },
    };
  }

  async function bind(role: string): Promise<void> {
    await admin.create(ClusterRoleBinding, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: role },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      subjects: [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }],
    });
  }

  async function createSite(name: string): Promise<void> {
    await admin.create(Site, Site.make({ metadata: { namespace: "default", name }, spec: { title: name } }));
  }

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    admin = createClient(cluster.connection(), { defaults: { fieldManager: "a-user" } });
    for (const kind of [Site, Plan])
      await installKind(admin, kind.crd({ labels: { "app.kubernetes.io/name": "site-operator" } }));
    const roles = [
      reader("site-reader", "sites", "example.com"),
      reader("plan-reader", "plans", "example.com"),
      reader("config-reader", "configmaps", ""),
      reader("definition-reader", "customresourcedefinitions", "apiextensions.k8s.io"),
    ];
    for (const role of roles) await admin.create(ClusterRole, role);
    for (const role of ["site-reader", "config-reader", "definition-reader"]) await bind(role);
    await admin.create(Plan, Plan.make({ metadata: { namespace: "default", name: "secret-plan" }, spec: {} }));
    operator = startOperator();
    await createSite("shop");
    other = createServer((_request, response) => response.writeHead(otherResponse.status).end(otherResponse.body));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    assert.ok(typeof address === "object" && address !== null);
    const endpoints = [
      loopbackEndpoint("site-operator", () => operator.manager.ports[0]),
      loopbackEndpoint("other-operator", () => address.port),
    ];
    const connection = cluster.connection({ user: "jane" });
    client = createClient(connection);
    const onError = (error: unknown): void => assert.fail(String(error));
    dashboard = await serveOnLoopback({
      client,
      connection,
      port: 0,
      findOperators: () => Promise.resolve(endpoints),
      onError,
    });
    origin = new URL(dashboard.url).origin;
    browser = await Browser.start();
    await browser.setSize(1280, 900);
    await browser.open(dashboard.url);
    await browser.until(`location.pathname === "/" && ${mainText}.includes("shop")`);
  });
  after(async () => {
    await browser?.[Symbol.asyncDispose]();
    await dashboard?.[Symbol.asyncDispose]();
    other?.close();
    await operator?.stop();
    client?.close();
    admin?.close();
    await cluster?.stop();
  });

  it("shows resources, owned objects, corrected drift and reconciles of the operator of a user", async () => {
    await browser.open(`${origin}/resource/example.com/Site/default/shop`);
    await browser.until(`/ConfigMap\\s+shop/.test(document.querySelector(".tree").innerText)`);
    await browser.until(`${mainText}.includes("The operator has corrected no drift")`);
    const key = { namespace: "default", name: "shop" };

    await admin.patch(ConfigMap, key, { merge: { data: { title: "wrong" } } }, { fieldManager: "kubectl-edit" });

    await browser.until(
      `/ConfigMap default\\/shop\\s+data\\.title\\s+kubectl-edit/.test(document.querySelector('[aria-label="Drift log"]').innerText)`,
    );
    await browser.open(`${origin}/why/example.com/Site/default/shop`);
    await browser.until(`/Decided managed objects: 1 corrected/.test(${mainText})`);
    await browser.until(`document.querySelector('[aria-label="Drift log"]').innerText.includes("kubectl-edit")`);
    assert.deepEqual(browser.takeProblems(), []);
  });

  it("names the kind that the user must not read, and shows it when it is allowed", async () => {
    await browser.open(`${origin}/`);
    await browser.until(`${mainText}.includes("You are not allowed to list and watch plans.example.com")`);
    assert.equal(await browser.evaluate(`${mainText}.includes("secret-plan")`), false);

    await bind("plan-reader");

    await browser.until(`${mainText}.includes("secret-plan")`);
    assert.equal(await browser.evaluate(`${mainText}.includes("You are not allowed")`), false);
  });

  it("shows an operator process that has ended, and the one that replaces it", async () => {
    await browser.open(`${origin}/why/example.com/Site/default/shop`);
    await browser.until(`document.querySelector(".timeline li")`);

    await operator.stop();
    await browser.until(`/site-operator: [^]*ECONNREFUSED/.test(${mainText})`);
    await browser.open(`${origin}/resource/example.com/Site/default/shop`);
    await browser.until(`/site-operator: [^]*ECONNREFUSED/.test(${mainText})`);
    assert.match(String(await browser.evaluate(mainText)), /Owned objects\s+ConfigMap/, "the rest of the page works");
    operator = startOperator();

    await browser.until(`!${mainText}.includes("ECONNREFUSED")`);
    await browser.open(`${origin}/why/example.com/Site/default/shop`);
    await browser.until(`document.querySelector(".timeline li") && !${mainText}.includes("ECONNREFUSED")`);
    assert.deepEqual(browser.takeProblems(), []);
  });

  it("shows an operator without a page /why, and the page when it exists", async () => {
    otherResponse = { status: 404, body: "<h1>not found</h1>" };
    await browser.open(`${origin}/operators`);

    await browser.until(`/other-operator: [^]*status 404/.test(${mainText})`);
    assert.match(String(await browser.evaluate(mainText)), /site-operator: leading/, "the other operator is shown");
    otherResponse = { status: 200, body: "<h1>other page</h1>" };
    await browser.until(`/other-operator: [^]*JSON/.test(${mainText})`);
    otherResponse = { status: 200, body: '{"isLeading":true}' };

    await browser.until(`/other-operator: leading/.test(${mainText})`);
    assert.deepEqual(browser.takeProblems(), []);
  });

  it("shows that the API server does not respond, and what has changed when it responds again", async () => {
    await browser.open(`${origin}/`);
    await browser.until(`${mainText}.includes("shop")`);

    const fault = cluster.server.faults.add({ times: Infinity, when: "before", action: { do: "cut" } });
    cluster.server.watchFaults.drop();
    await browser.until(`/sites\\.example\\.com: GET /.test(${statusText})`);
    assert.ok(await browser.evaluate(`${mainText}.includes("shop")`), "the last known state is shown");
    fault.remove();
    await createSite("cafe");

    await browser.until(`${mainText}.includes("cafe") && ${statusText} === ""`);
  });

  it("opens a page while the API server does not respond, and shows it when it does", async () => {
    const fault = cluster.server.faults.add({ times: Infinity, when: "before", action: { do: "cut" } });
    cluster.server.watchFaults.drop();
    await browser.open(`${origin}/resource/example.com/Site/default/cafe`);
    await browser.until(`${statusText} !== ""`);
    fault.remove();

    await browser.until(`/ConfigMap\\s+cafe/.test(document.querySelector(".tree")?.innerText) && ${statusText} === ""`);
    // The failed requests themselves are expected.
    browser.takeProblems();
  });
});
