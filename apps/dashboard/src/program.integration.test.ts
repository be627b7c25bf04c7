// The program with exactly the permissions of its manifests, on the embedded cluster.

import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { connect } from "node:tls";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { sendHttp } from "@homeostat/http";
import { systemClock } from "@homeostat/core";
import { ClusterRoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { createOperatorManager, operatorManifests, type OperatorSettings } from "@homeostat/operator";
import { applyManifests } from "@homeostat/operator-testing";
import { type LogFields, type Logger, silentLogger } from "@homeostat/runtime";
import { issue, type KeyPair, makeAuthority } from "@homeostat/x509";
import { dashboardOperator } from "./operator.ts";
import type { Dashboard } from "./server/serve-dashboard.ts";
import { at, BrowserLike, listAt } from "./testing/browser-like.ts";
import { createToken } from "./testing/create-token.ts";
import { createSite, installSites } from "./testing/site-operator.ts";

const assets = new URL("assets/", import.meta.url);
const namespace = "default";
const account = { namespace, name: "homeostat-dashboard" };
const identityHeaders = { userHeader: "X-User" };

describe("the dashboard program", { timeout: 300_000 }, () => {
  let cluster: Cluster;
  let client: Client;
  let folder = "";
  let stop = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  let lines: { readonly message: string; readonly fields: LogFields }[] = [];

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    client = createClient(cluster.connection());
    await installSites(client);
    await createSite(client, "shop");
    const kinds = new Set(["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]);
    const manifests = operatorManifests(dashboardOperator({ assets }), { namespace, settings: identityHeaders });
    await applyManifests(
      client,
      manifests.filter(({ kind }) => kinds.has(kind)),
    );
    await client.create(ClusterRoleBinding, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "jane" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }],
    });
  });
  after(async () => {
    client.close();
    await cluster.stop();
  });
  afterEach(async () => {
    stop.abort();
    await ended;
    await rm(folder, { recursive: true, force: true });
  });

  const write = (name: string, content: string): Promise<void> => writeFile(join(folder, name), content);

  /** Starts the program with the token of its service account. It runs until the end of the test. Resolves once it listens. */
  async function start(settings: OperatorSettings): Promise<() => Promise<Dashboard>> {
    folder = await mkdtemp(join(tmpdir(), "dashboard-"));
    stop = new AbortController();
    lines = [];
    const keep = (message: string, fields: LogFields = {}): void => {
      // The manager reports a slow machine.
      if (message !== "Event loop blocked") lines.push({ message, fields });
    };
    const log: Logger = { ...silentLogger, warn: keep, error: keep, child: () => log };
    const listening: Dashboard[] = [];
    const operator = dashboardOperator({ assets, pollMs: 20, onListening: (dashboard) => listening.push(dashboard) });
    const manager = createOperatorManager(operator, {
      connection: { ...cluster.connection(), identity: { token: { data: await createToken(client, account) } } },
      run: { healthProbeBindAddress: "127.0.0.1:0", metricsBindAddress: "0", namespace },
      settings: { address: "127.0.0.1", port: 0, secretDir: folder, ...settings },
      log,
      env: {},
    });
    ended = manager.run(stop.signal);
    return async () => {
      for (;;) {
        const [dashboard] = listening;
        if (dashboard !== undefined) return dashboard;
        await systemClock.sleep(20);
      }
    };
  }

  it("serves users with tokens without a Secret, with their rights and not with its own", async () => {
    const { port } = await (await start({}))();
    const browser = new BrowserLike(port);

    const page = await browser.get("/");
    const before = await browser.get("/api/overview");
    await browser.post("/api/login", { token: await createToken(client, account) });
    const own = await browser.get("/api/overview");
    browser.close();

    assert.match(page.text, /<div id="app">/);
    assert.equal(before.status, 401);
    // The service account itself may read nothing.
    assert.deepEqual(listAt(own.value, "rows"), []);
    assert.deepEqual(lines, []);
  });

  it("impersonates users of a proxy once it has the secret of the proxy", async () => {
    const { port } = await (await start(identityHeaders))();
    const browser = new BrowserLike(port);
    const headers = { "x-user": "jane", "x-dashboard-secret": "the-secret-of-a-proxy" };

    const without = await browser.get("/api/overview", headers);
    await write("proxy-secret", "the-secret-of-a-proxy");
    let overview = without;
    while (overview.status === 403) overview = await browser.get("/api/overview", headers);
    browser.close();

    assert.match(String(at(without.value, "message")), /has no secret of the proxy\. Create the key proxy-secret/);
    assert.equal(at(overview.value, "rows", 0, "name"), "shop");
    assert.deepEqual(lines, [
      {
        message: "Identity headers are refused without the proxy secret",
        fields: { header: "X-User", file: join(folder, "proxy-secret") },
      },
    ]);
  });

  it("waits for its certificate, serves HTTPS, and follows the files", async () => {
    const listening = await start({ tls: true });
    const dates = { validFrom: new Date(Date.now() - 60_000), validUntil: new Date(Date.now() + 86_400_000) };
    const authority = makeAuthority({ subject: { commonName: "test" }, ...dates });
    const pairOf = (commonName: string): KeyPair =>
      issue(authority, { subject: { commonName }, hosts: ["localhost"], usages: ["server"], ...dates });
    const install = async ({ cert, key }: KeyPair): Promise<void> => {
      await write("tls.key", key);
      await write("tls.crt", cert);
    };
    while (lines.length === 0) await systemClock.sleep(20);
    await install(pairOf("first"));
    const { port } = await listening();
    const tls = { ca: authority.cert, servername: "localhost" };

    const response = await sendHttp({
      method: "POST",
      host: "127.0.0.1",
      port,
      path: "/api/login",
      headers: {
        host: `localhost:${port}`,
        origin: `https://localhost:${port}`,
        "content-type": "application/json",
        "x-homeostat-dashboard": "1",
      },
      body: JSON.stringify({ token: await createToken(client, account) }),
      tls,
      signal: stop.signal,
      bodyBytesMax: 1_000_000,
    });
    await install(pairOf("second"));
    let subject = "";
    while (!subject.includes("second")) subject = await subjectAt(port, authority.cert);

    assert.equal(response.status, 200);
    assert.match(String(response.headers["set-cookie"]), /^__Host-homeostat-dashboard-\d+=.*; Secure/);
    assert.match(String(lines[0]?.message), /Failed to read file/);
  });
});

/** Returns the subject of the certificate that a server presents. */
function subjectAt(port: number, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, ca, servername: "localhost" }, () => {
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      resolve(new X509Certificate(raw).subject);
    });
    socket.on("error", reject);
  });
}
