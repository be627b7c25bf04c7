// Logins with tokens on the embedded cluster: two service accounts with different rights, in two browsers.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { type Clock, systemClock } from "@homeostat/core";
import { ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { ClusterRole, ClusterRoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { clusterAccess } from "./access/cluster-access.ts";
import { failuresPerAddressMax } from "./access/login-limiter.ts";
import { type Dashboard, serveDashboard } from "./server/serve-dashboard.ts";
import { at, BrowserLike, listAt, type TestResponse } from "./testing/browser-like.ts";
import { createToken } from "./testing/create-token.ts";
import { createSite, installSites } from "./testing/site-operator.ts";
import { asUser, testProxy } from "./testing/test-proxy.ts";

const query = "group=example.com&kind=Site&namespace=default&name=shop";
const rbac = "rbac.authorization.k8s.io";
const day = 86_400_000;

describe("logins with tokens", () => {
  const errors: unknown[] = [];
  let cluster: Cluster;
  let client: Client;
  let dashboard: Dashboard;
  let writerToken = "";
  let readerToken = "";
  let strangerToken = "";
  /** Time that the dashboard believes to be later than it is. */
  let laterMs = 0;
  let sessionKey = Buffer.from("a key that all replicas have in common");
  const clock: Clock = {
    now: () => systemClock.now() + laterMs,
    monotonic: () => systemClock.monotonic() + laterMs,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    timeout: (ms) => systemClock.timeout(ms),
    schedule: (ms, run) => systemClock.schedule(ms, run),
  };

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    client = createClient(cluster.connection());
    await installSites(client);
    await createSite(client, "shop");
    writerToken = await createUser("writer", ["get", "list", "watch", "delete"]);
    readerToken = await createUser("reader", ["get", "list", "watch"]);
    strangerToken = await createUser("stranger", []);
    dashboard = await serve();
  });
  after(async () => {
    await dashboard[Symbol.asyncDispose]();
    client.close();
    await cluster.stop();
    assert.deepEqual(errors, []);
  });

  const serve = (): Promise<Dashboard> =>
    serveDashboard({
      access: clusterAccess({
        connection: cluster.connection(),
        headers: testProxy,
        tokenLogin: { sessionKey: () => sessionKey, sessionMsMax: day, isHttps: false, clock },
      }),
      findOperators: () => Promise.resolve([]),
      port: 0,
      hostNames: ["dashboard.example.com"],
      isForwarded: true,
      clock,
      onError: (error) => errors.push(error),
    });

  /** Creates a service account with rights on Sites. Returns a token of it. */
  async function createUser(name: string, verbs: readonly string[]): Promise<string> {
    const metadata = { namespace: "default", name };
    await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata });
    const rules = [
      { apiGroups: ["example.com"], resources: ["sites"], verbs: [...verbs] },
      { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list", "watch"] },
    ];
    if (verbs.length > 0) {
      await client.create(ClusterRole, { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules });
      await client.create(ClusterRoleBinding, {
        apiVersion: `${rbac}/v1`,
        kind: "ClusterRoleBinding",
        metadata: { name },
        roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
        subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
      });
    }
    return createToken(client, metadata);
  }

  /** Opens a browser, which is closed at the end of the scope. */
  function open(target: Dashboard = dashboard): BrowserLike & Disposable {
    const browser = new BrowserLike(target.port);
    return Object.assign(browser, { [Symbol.dispose]: () => browser.close() });
  }

  async function loggedIn(token: string): Promise<BrowserLike & Disposable> {
    const browser = open();
    assert.equal((await browser.post("/api/login", { token })).status, 200);
    return browser;
  }

  const namesIn = ({ value }: TestResponse): unknown[] => listAt(value, "rows").map((row) => at(row, "name"));
  const messageOf = ({ value }: TestResponse): string => String(at(value, "message"));

  it("shows the form until the user has logged in, and the name of the user after that", async () => {
    using browser = open();

    const before = await browser.get("/api/session");
    const refused = await browser.get("/api/overview");
    await browser.post("/api/login", { token: ` ${readerToken}\n` });
    const session = await browser.get("/api/session");

    assert.deepEqual(before.value, { user: "", hasLogout: false, loginMessage: "You are not logged in." });
    assert.deepEqual([refused.status, at(refused.value, "login")], [401, "token"]);
    assert.deepEqual(session.value, { user: "system:serviceaccount:default:reader", hasLogout: true });
  });

  it("keeps the token in a cookie that scripts, other sites and other servers cannot use", async () => {
    using browser = open();

    const { headers } = await browser.post("/api/login", { token: readerToken });

    const [cookie = ""] = headers["set-cookie"] ?? [];
    assert.match(cookie, /^homeostat-dashboard-\d+=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    assert.ok(!cookie.includes(readerToken));
    const seconds = Number(/Max-Age=(\d+)/.exec(cookie)?.[1]);
    // The embedded API server issues tokens for an hour, which is shorter than the longest session.
    assert.ok(seconds > 3_000 && seconds <= 3_700, `${seconds} seconds`);
  });

  it("shows each user what their rights allow", async () => {
    using writer = await loggedIn(writerToken);
    using reader = await loggedIn(readerToken);
    using stranger = await loggedIn(strangerToken);

    const resources = await Promise.all([writer, reader].map((user) => user.get(`/api/resource?${query}`)));
    const none = await stranger.get("/api/overview");

    assert.deepEqual(
      resources.map(({ value }) => at(value, "mayDelete")),
      [true, false],
    );
    assert.deepEqual(namesIn(none), []);
    assert.match(String(at(none.value, "kinds", 0, "problem")), /^You are not allowed to list and watch sites/);
    const forbidden = await stranger.get(`/api/resource?${query}`);
    assert.equal(forbidden.status, 403);
    assert.equal(messageOf(forbidden), "You are not allowed to list and watch sites.example.com default/shop.");
  });

  it("deletes with the rights of the user", async () => {
    using writer = await loggedIn(writerToken);
    using reader = await loggedIn(readerToken);
    await createSite(client, "old");
    const { value } = await reader.get(`/api/resource?${query.replace("shop", "old")}`);
    const target = { group: "example.com", kind: "Site", namespace: "default", name: "old", uid: at(value, "uid") };

    const refused = await reader.post("/api/delete", target);
    const deleted = await writer.post("/api/delete", target);

    assert.deepEqual([refused.status, deleted.status], [403, 200]);
    assert.match(messageOf(refused), /reader" cannot delete resource "sites"/);
  });

  it("ends a session when the user logs out", async () => {
    using browser = await loggedIn(readerToken);
    const [copy] = [...browser.cookies];

    await browser.post("/api/logout", {});

    assert.equal(browser.cookies.size, 0);
    assert.equal((await browser.get("/api/overview")).status, 401);
    assert.ok(copy !== undefined);
  });

  it("refuses tokens that the API server does not accept, with a limit", async () => {
    const limited = await serve();
    using browser = open(limited);
    const attempt = (token: string) => browser.post("/api/login", { token });

    const wrong: TestResponse[] = [];
    for (let count = 0; count < failuresPerAddressMax; count += 1) wrong.push(await attempt(`${readerToken}${count}`));
    const malformed = await attempt("not a token");
    const above = await attempt(readerToken);
    laterMs += 61_000;
    const later = await attempt(readerToken);
    laterMs = 0;
    await limited[Symbol.asyncDispose]();

    assert.deepEqual([...new Set(wrong.map(({ status }) => status))], [401]);
    assert.equal(malformed.status, 401);
    assert.match(messageOf(malformed), /does not accept this token/);
    assert.deepEqual([above.status, later.status], [429, 200]);
  });

  it("ends a session with its token", async () => {
    using browser = await loggedIn(readerToken);
    assert.equal((await browser.get("/api/overview")).status, 200);

    laterMs = day;
    const late = await browser.get("/api/overview");
    const session = await browser.get("/api/session");
    laterMs = 0;

    assert.deepEqual([late.status, at(late.value, "login")], [401, "token"]);
    assert.equal(at(session.value, "loginMessage"), "You are not logged in.");
  });

  it("asks for another login when the token is revoked", async () => {
    const token = await createUser("leaver", ["get", "list", "watch"]);
    using browser = await loggedIn(token);
    await client.delete(ServiceAccount, { namespace: "default", name: "leaver" });

    const refused = await browser.get(`/api/resource?${query}`);
    const stream = await browser.get(`/api/stream/resource?${query}`);

    assert.deepEqual([refused.status, at(refused.value, "login")], [401, "token"]);
    assert.deepEqual([stream.status, at(stream.value, "login")], [401, "token"]);
  });

  it("refuses cookies that were changed or sealed with a key that was replaced", async () => {
    using browser = await loggedIn(readerToken);
    const [[name, value] = ["", ""]] = browser.cookies;

    browser.cookies.set(name, `${value.slice(0, -4)}AAAA`);
    const changed = await browser.get("/api/overview");
    browser.cookies.set(name, value);
    const before = sessionKey;
    sessionKey = Buffer.from("a key that was replaced while it ran");
    const replaced = await browser.get("/api/overview");
    sessionKey = before;

    assert.deepEqual([changed.status, replaced.status], [401, 401]);
    assert.equal((await browser.get("/api/overview")).status, 200);
  });

  it("serves the session at another replica with the same key", async () => {
    const other = await serve();
    using browser = await loggedIn(readerToken);
    using second = open(other);
    const host = `127.0.0.1:${dashboard.port}`;

    for (const [name, value] of browser.cookies) second.cookies.set(name, value);
    const response = await second.get("/api/overview", { host });
    await other[Symbol.asyncDispose]();

    assert.deepEqual(namesIn(response), ["shop"]);
  });

  it("refuses logins and logouts of other sites", async () => {
    using browser = open();
    const body = { token: readerToken };
    const own = `http://127.0.0.1:${dashboard.port}`;

    const statuses: number[] = [];
    for (const headers of [
      { origin: "https://evil.example.com" },
      { "sec-fetch-site": "cross-site", origin: own },
      { "x-homeostat-dashboard": "" },
      { "content-type": "text/plain" },
      { host: "evil.example.com", origin: "http://evil.example.com" },
    ])
      for (const path of ["/api/login", "/api/logout"]) statuses.push((await browser.post(path, body, headers)).status);

    assert.deepEqual(statuses, [403, 403, 403, 403, 403, 403, 415, 415, 421, 421]);
    assert.equal(browser.cookies.size, 0);
  });

  it("accepts tokens on public names over HTTPS only, with a cookie that no other host can set", async () => {
    using browser = open();
    const host = "dashboard.example.com";
    const login = (scheme: string) =>
      browser.post("/api/login", { token: readerToken }, { host, origin: `${scheme}://${host}` });

    const plain = await login("http");
    const { status, headers } = await login("https");
    const [[name, value] = ["", ""]] = browser.cookies;
    const read = await browser.get("/api/overview", { host });
    browser.cookies.clear();
    browser.cookies.set(name.replace("__Host-", ""), value);
    const planted = await browser.get("/api/overview", { host });

    assert.deepEqual([plain.status, status], [403, 200]);
    assert.match(messageOf(plain), /must not be sent over HTTP/);
    assert.match(String(headers["set-cookie"]), /^__Host-homeostat-dashboard=.*; Secure; Max-Age=/);
    assert.deepEqual([read.status, planted.status], [200, 401]);
  });

  it("accepts the names of a port-forward with any port", async () => {
    using browser = open();

    const forwarded = await browser.get("/", { host: "localhost:18000" });
    const other = await browser.get("/", { host: "10.0.0.7:8000" });

    assert.deepEqual([forwarded.status, other.status], [200, 421]);
  });

  it("impersonates only beside the secret of the proxy, which also hides the form", async () => {
    using browser = await loggedIn(readerToken);
    const { "x-proxy-secret": _, ...withoutSecret } = asUser("jane");

    const without = await browser.get("/api/overview", withoutSecret);
    const wrong = await browser.get("/api/overview", { ...withoutSecret, "x-proxy-secret": "guessed" });
    const right = await browser.get("/api/overview", asUser("jane"));
    const session = await browser.get("/api/session", asUser("jane"));

    assert.deepEqual([without.status, wrong.status, right.status], [403, 403, 200]);
    assert.match(messageOf(without), /header X-Remote-User, but not the secret of the proxy in X-Proxy-Secret/);
    // Not the rights of the reader in the cookie.
    assert.deepEqual(namesIn(right), []);
    assert.deepEqual(session.value, { user: "jane", hasLogout: false });
  });

  it("shows pages without scripts to browsers that are logged in", async () => {
    using browser = open();

    const before = await browser.get("/?plain");
    await browser.post("/api/login", { token: readerToken });
    const after = await browser.get("/?plain");

    assert.equal(before.status, 401);
    assert.match(before.text, /You are not logged in\..*JavaScript/s);
    assert.equal(after.status, 200);
    assert.match(after.text, /shop/);
  });
});
