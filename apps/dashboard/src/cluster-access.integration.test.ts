// The dashboard in a cluster: every user reads and writes with their own rights.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { ClusterRole, ClusterRoleBinding, RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { clusterAccess } from "./access/cluster-access.ts";
import { type Dashboard, serveDashboard } from "./server/serve-dashboard.ts";
import { at, BrowserLike, listAt } from "./testing/browser-like.ts";
import { createToken } from "./testing/create-token.ts";
import { createSite, installSites } from "./testing/site-operator.ts";
import { asUser, testProxy } from "./testing/test-proxy.ts";

const query = "group=example.com&kind=Site&namespace=default&name=shop";

describe("the dashboard in a cluster", () => {
  const errors: unknown[] = [];
  let cluster: Cluster;
  let client: Client;
  let dashboard: Dashboard;

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    client = createClient(cluster.connection());
    await installSites(client);
    await createSite(client, "shop");
    await client.create(ClusterRole, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "site-reader" },
      rules: [
        { apiGroups: ["example.com"], resources: ["sites"], verbs: ["get", "list", "watch"] },
        { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list", "watch"] },
      ],
    });
    for (const [name, subject] of [
      ["jane", { kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }],
      ["readers", { kind: "Group", name: "readers", apiGroup: "rbac.authorization.k8s.io" }],
      ["robot", { kind: "ServiceAccount", name: "robot", namespace: "default" }],
    ] as const)
      await client.create(ClusterRoleBinding, {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: `site-reader-${name}` },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "site-reader" },
        subjects: [subject],
      });
    await client.create(RoleBinding, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { namespace: "default", name: "local" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "site-reader" },
      subjects: [{ kind: "User", name: "local", apiGroup: "rbac.authorization.k8s.io" }],
    });
    await client.create(ServiceAccount, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { namespace: "default", name: "robot" },
    });
    dashboard = await serveDashboard({
      access: clusterAccess({ connection: cluster.connection(), headers: testProxy }),
      findOperators: () => Promise.resolve([]),
      port: 0,
      hostNames: ["dashboard.example.com"],
      onError: (error) => errors.push(error),
    });
  });
  after(async () => {
    await dashboard[Symbol.asyncDispose]();
    client.close();
    await cluster.stop();
    assert.deepEqual(errors, []);
  });

  async function getAs(headers: Readonly<Record<string, string>>, path: string) {
    const browser = new BrowserLike(dashboard.port);
    try {
      return await browser.get(path, headers);
    } finally {
      browser.close();
    }
  }

  const namesIn = (value: unknown): unknown[] => listAt(value, "rows").map((row) => at(row, "name"));

  it("refuses requests without an identity, and login links", async () => {
    assert.equal((await getAs({}, "/api/overview")).status, 401);
    assert.equal((await getAs(asUser(""), "/api/overview")).status, 401);
    assert.match((await getAs({}, "/login?token=a")).text, /<div id="app">/);
  });

  it("refuses reserved names in the identity header", async () => {
    for (const headers of [asUser("system:admin"), asUser("jane", "readers, system:masters")])
      assert.equal((await getAs(headers, "/api/overview")).status, 403);
  });

  it("reads with the rights of the user or group of the header", async () => {
    assert.deepEqual(namesIn((await getAs(asUser("jane"), "/api/overview")).value), ["shop"]);
    assert.deepEqual(namesIn((await getAs(asUser("joe", "readers"), "/api/overview")).value), ["shop"]);
    const stranger = await getAs(asUser("joe"), "/api/overview");
    assert.deepEqual(namesIn(stranger.value), []);
    assert.match(
      String(at(stranger.value, "kinds", 0, "problem")),
      /You are not allowed to list and watch sites\.example\.com in all namespaces/,
    );
  });

  it("shows a user with rights in one namespace the objects of that namespace", async () => {
    assert.deepEqual(namesIn((await getAs(asUser("local"), "/api/overview")).value), []);
    assert.deepEqual(namesIn((await getAs(asUser("local"), "/api/overview?namespace=default")).value), ["shop"]);
  });

  it("names the kinds that are missing in a tree", async () => {
    const { value } = await getAs(asUser("jane"), `/api/resource?${query}`);

    assert.equal(at(value, "ref", "name"), "shop");
    assert.equal(at(value, "mayDelete"), false);
    assert.ok(listAt(value, "hiddenKinds").includes("pods") && listAt(value, "hiddenKinds").includes("secrets"));
  });

  it("explains only objects that the user may read", async () => {
    assert.equal((await getAs(asUser("jane"), `/api/why?${query}`)).status, 200);
    assert.equal((await getAs(asUser("joe"), `/api/why?${query}`)).status, 403);
  });

  it("writes with the rights of the user", async () => {
    const browser = new BrowserLike(dashboard.port);
    browser.setHeaders(asUser("jane"));
    const { value } = await browser.get("/api/overview");

    const { status, value: refusal } = await browser.post("/api/delete", {
      group: "example.com",
      kind: "Site",
      namespace: "default",
      name: "shop",
      uid: at(value, "rows", 0, "uid"),
    });

    assert.equal(status, 403);
    assert.match(String(at(refusal, "message")), /jane/);
    browser.close();
  });

  it("uses a bearer token instead of its own credentials", async () => {
    const token = await createToken(client, { namespace: "default", name: "robot" });

    const allowed = await getAs({ authorization: `Bearer ${token}` }, "/api/overview");
    const wrong = await getAs({ authorization: "Bearer wrong" }, "/api/overview");

    assert.deepEqual(namesIn(allowed.value), ["shop"]);
    assert.equal(wrong.status, 401);
  });

  it("accepts its public host name, and probes with any", async () => {
    assert.equal((await getAs({ host: "dashboard.example.com" }, "/")).status, 200);
    assert.equal((await getAs({ host: "other.example.com" }, "/")).status, 421);
    assert.equal((await getAs({ host: "10.0.0.1:8080" }, "/healthz")).status, 200);
  });
});
