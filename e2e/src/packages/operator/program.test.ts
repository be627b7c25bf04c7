// The program of an operator as a process: flags, pages, signals and error messages.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Client } from "@homeostat/client";
import { systemClock } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { Lease } from "@homeostat/kubernetes/coordination/v1";
import { freePorts } from "@homeostat/operator-testing";
import { reasonToSkip, startCluster } from "../../harness/cluster.ts";
import { eventually, install } from "./installed.ts";
import { Site, siteOperator } from "./sites.ts";

const need = "apiserver";
const skip = (await reasonToSkip({ need })) ?? false;
const namespace = "program";

/** A process of the program and its output. */
interface Program {
  readonly child: ChildProcess;
  text(): string;
  /** Sends SIGTERM and waits. Resolves with the exit code and the duration. */
  stop(): Promise<{ code: number | null; ms: number }>;
}

function start(...args: string[]): Program {
  const child = spawn(process.execPath, [join(import.meta.dirname, "program.js"), ...args], { stdio: "pipe" });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const exited = once(child, "exit") as Promise<[number | null]>;
  return {
    child,
    text: () => text,
    async stop() {
      const started = systemClock.monotonic();
      child.kill("SIGTERM");
      const [code] = await exited;
      return { code, ms: systemClock.monotonic() - started };
    },
  };
}

async function page(port: number, path: string): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: "" };
  }
}

describe("the program of an operator", { skip }, () => {
  let cluster: RealCluster;
  let client: Client;
  let folder = "";
  before(async () => {
    cluster = await startCluster({ need });
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath });
    folder = await mkdtemp(join(tmpdir(), "program-"));
  });
  after(async () => {
    client.close();
    await rm(folder, { recursive: true, force: true });
    await cluster.stop();
  });

  const addresses = async () => {
    const [health = 0, metrics = 0] = await freePorts(2);
    return {
      health,
      metrics,
      flags: [`--health-probe-bind-address=127.0.0.1:${health}`, `--metrics-bind-address=127.0.0.1:${metrics}`],
    };
  };

  it("waits for missing CRDs, works when they are installed, and shuts down gracefully", async () => {
    const { health, metrics, flags } = await addresses();
    const common = ["--kubeconfig", cluster.kubeconfigPath, "--namespace", namespace, "--webhook-port=0"];
    const program = start(...common, "--leader-elect", "--log-format=text", ...flags);
    try {
      await eventually("the log message", () => program.text().includes("Waiting for missing CRDs or permissions"));
      assert.match(program.text(), /sites\.operator\.e2e\.example\.com|Site/);
      assert.equal((await page(health, "/healthz")).status, 200, "the program is alive");
      assert.notEqual((await page(health, "/readyz")).status, 200, "the program is not ready");
    } finally {
      assert.equal((await program.stop()).code, 0);
    }

    await install(client, siteOperator, { namespace });
    const again = start(...common, "--leader-elect", ...flags);
    try {
      await eventually("readiness", async () => (await page(health, "/readyz")).status === 200);
      assert.equal((await page(health, "/readyz/service/webhooks")).status, 200, "the readiness probe of the webhooks");
      await client.create(
        Site,
        Site.default(Site.make({ metadata: { namespace: "default", name: "program" }, spec: { color: "red" } })),
      );
      await eventually("the status of the site", async () => {
        return (await client.get(Site, { namespace: "default", name: "program" }))?.status?.color === "red";
      });
      const { text } = await page(metrics, "/metrics");
      assert.match(text, /controller_runtime_reconcile_total\{controller="sites",result="success"\} [1-9]/);
      assert.match(text, /controller_runtime_webhook_requests_total/);
    } finally {
      const { code, ms } = await again.stop();
      assert.equal(code, 0, again.text());
      assert.ok(ms < 5_000, `it took ${ms} ms to stop`);
    }
    const lease = await client.get(Lease, { namespace, name: "site-operator" });
    assert.equal(lease?.spec?.holderIdentity ?? "", "", "the lease is released");
    for (const line of again.text().trim().split("\n")) assert.doesNotThrow(() => JSON.parse(line) as unknown, line);
  });

  it("reports an unreachable API server, retries, and can be stopped", async () => {
    const { flags } = await addresses();
    const [port = 0] = await freePorts(1);
    const config = join(folder, "unreachable");
    const text = await readFile(cluster.kubeconfigPath, "utf8");
    await writeFile(config, text.replaceAll(/127\.0\.0\.1:\d+/g, `127.0.0.1:${port}`), { mode: 0o600 });
    const program = start("--kubeconfig", config, "--webhook-port=0", "--log-format=text", ...flags);

    try {
      await eventually("the complaint", () => program.text().includes("ECONNREFUSED"));
    } finally {
      assert.equal((await program.stop()).code, 0, program.text());
    }
  });
});
