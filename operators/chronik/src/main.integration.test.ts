// The whole program, as a process: its pages, its counters, and its end.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { systemClock } from "@homeostat/core";
import { sendHttp } from "@homeostat/http";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { ChronikCluster } from "./api/chronik-cluster.ts";
import { ChronikNodeGroup } from "./api/chronik-node-group.ts";
import { clusterInput } from "./testing/clusters.ts";

const namespace = "streaming";
const home = "chronik-operator-system";

const unavailable = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  reason: "ServiceUnavailable",
  message: "not now",
  code: 503,
} as const;

/** Returns a free port of this machine. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(address !== null && typeof address === "object");
  return address.port;
}

/** Returns status and text of a page; status 0 if nothing responds. */
async function page(port: number, path: string): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const signal = AbortSignal.timeout(10_000);
    const request = { method: "GET", host: "127.0.0.1", port, path, signal, bodyBytesMax: 10_000_000 };
    const { status, body } = await sendHttp(request);
    return { status, text: body.toString() };
  } catch {
    return { status: 0, text: "" };
  }
}

/** The tests run in order on one process. */
describe("the program of the operator", () => {
  let cluster: Cluster;
  let client: Client;
  let program: ChildProcess;
  let health = 0;
  let metrics = 0;
  const output: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), "homeostat-chronik-"));

  before(async () => {
    // The API server alone: no pod ever starts.
    cluster = await startCluster({ parts: "api" });
    client = createClient(cluster.connection());
    for (const name of [namespace, home])
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const kubeconfig = join(folder, "kubeconfig");
    await cluster.writeKubeconfig(kubeconfig);
    [health, metrics] = [await freePort(), await freePort()];
    const file = fileURLToPath(new URL("main.js", import.meta.url));
    program = spawn(process.execPath, ["--conditions=development", file, "--kubeconfig", kubeconfig], {
      env: {
        ...process.env,
        HEALTH_ADDR: `127.0.0.1:${health}`,
        METRICS_ADDR: `127.0.0.1:${metrics}`,
        OPERATOR_NAMESPACE: home,
        SHUTDOWN_GRACE: "3s",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [program.stdout, program.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => output.push(text));
  });
  after(async () => {
    if (program.exitCode === null) program.kill("SIGKILL");
    client.close();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function until(what: string, look: () => Promise<boolean> | boolean): Promise<void> {
    while (!(await look())) {
      if (program.exitCode !== null) throw new Error(`the program ended before ${what}\n${output.join("")}`);
      await systemClock.sleep(50);
    }
  }

  /** Returns the sum of the samples of a metric whose labels contain a text. */
  async function metric(name: string, labels = ""): Promise<number> {
    const { text } = await page(metrics, "/metrics");
    const samples = text.split("\n").filter((line) => line.startsWith(name) && line.includes(labels));
    return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  }

  it("is healthy but not ready while its kinds are not installed, and says what is missing", async () => {
    await until("the health page", async () => (await page(health, "/health")).status === 200);
    await until("the log", () => output.join("").includes("Waiting for missing CRDs or permissions"));

    const ready = await page(health, "/ready");
    assert.equal(ready.status, 500);
    assert.match(output.join(""), /chronikclusters\.chronik\.stream/);
    for (const [path, alias] of [
      ["/health", "/healthz"],
      ["/ready", "/readyz"],
    ] as const)
      assert.equal((await page(health, path)).status, (await page(health, alias)).status, path);
  });

  it("is not ready until its caches have synced, and ready from then on", async () => {
    const lists = cluster.server.faults.add({
      match: ({ info }) => info.verb === "list" && info.resource === "statefulsets",
      times: Infinity,
      when: "before",
      action: { do: "fail", status: unavailable },
    });
    for (const type of [ChronikCluster, ChronikNodeGroup]) await client.create(CustomResourceDefinition, type.crd());
    await until("a failed list", () => lists.happened > 0);
    const before = await page(health, "/ready");
    lists.remove();
    await until("readiness", async () => (await page(health, "/ready")).status === 200);

    assert.equal(before.status, 500);
    assert.equal((await page(health, "/health")).status, 200);
  });

  it("counts reconciles, written objects and clusters", async () => {
    const before = await metric("chronik_operator_reconciliations_total");
    await client.create(ChronikCluster, ChronikCluster.default(clusterInput({}, "one")));
    await until("a reconcile", async () => (await metric("chronik_operator_reconciliations_total", "success")) > 0);

    assert.equal(before, 0);
    assert.equal(await metric("chronik_operator_applies_total", 'kind="StatefulSet",result="created"'), 2);
    assert.equal(await metric("chronik_operator_clusters", 'phase="Creating"'), 1);
    assert.ok((await metric("chronik_operator_reconciliation_duration_seconds_count")) > 0);
    assert.ok((await metric("controller_runtime_reconcile_total")) > 0);
    assert.ok((await metric("rest_client_requests_total")) > 0);
  });

  it("is not ready from SIGTERM on, while a reconcile is still running, and exits with 0", async () => {
    const hanging = cluster.server.faults.add({
      match: ({ info }) => info.verb === "patch" && info.resource === "configmaps",
      when: "before",
      action: { do: "hang" },
    });
    await client.patch(
      ChronikCluster,
      { namespace, name: "one" },
      { merge: { spec: { config: { common: { a: "b" } } } } },
    );
    await until("a reconcile that hangs", () => hanging.happened > 0);
    const exit = once(program, "exit");

    program.kill("SIGTERM");
    const statuses = new Set<number>();
    while (program.exitCode === null) {
      statuses.add((await page(health, "/ready")).status);
      await systemClock.sleep(50);
    }
    const [code] = await exit;

    assert.ok(statuses.has(500), [...statuses].join());
    assert.equal(code, 0, output.join(""));
  });
});
