// The Kubernetes that tools/kube starts: clusters in parallel, a running pod, and no leftover processes.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { RealCluster } from "@homeostat/kube";
import { reasonToSkip, startCluster } from "../../harness/cluster.ts";

describe("a control plane", { skip: (await reasonToSkip({ need: "apiserver" })) ?? false }, () => {
  it("runs next to another one without interference, and leaves no process", async () => {
    const [one, two] = await Promise.all([startCluster({ need: "apiserver" }), startCluster({ need: "apiserver" })]);
    try {
      const created = await one.request({
        method: "POST",
        path: "/api/v1/namespaces",
        body: { metadata: { name: "only-here" } },
      });
      const there = await two.request({ path: "/api/v1/namespaces/only-here" });

      assert.notEqual(one.server, two.server);
      assert.equal(created.status, 201);
      assert.equal(there.status, 404);
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }

    assert.deepEqual(processesOf(one.kubeconfigPath), []);
    assert.deepEqual(processesOf(two.kubeconfigPath), []);
  });
});

describe("two nodes", { skip: (await reasonToSkip({ need: "node" })) ?? false }, () => {
  it("run a pod each until it is ready, and assign addresses of their own range", async () => {
    await using cluster = await startCluster({ need: "node", nodes: 2 });
    const container = { name: "main", image: "docker.io/local/pause:1", imagePullPolicy: "Never" };

    for (const nodeName of ["node1", "node2"]) {
      const created = await cluster.request({
        method: "POST",
        path: "/api/v1/namespaces/default/pods",
        body: { metadata: { name: `on-${nodeName}` }, spec: { nodeName, containers: [container] } },
      });
      assert.equal(created.status, 201, created.text);
    }

    assert.match(await addressOf(cluster, "on-node1"), /^10\.2\d\d\.128\.\d+$/);
    assert.match(await addressOf(cluster, "on-node2"), /^10\.2\d\d\.129\.\d+$/);
  });
});

/** Waits until a pod runs, and returns its address. */
async function addressOf(cluster: RealCluster, pod: string): Promise<string> {
  for (let tries = 0; tries < 120; tries += 1) {
    const { body } = await cluster.request({ path: `/api/v1/namespaces/default/pods/${pod}` });
    const status = (body as { status?: { phase?: string; podIP?: string } }).status;
    if (status?.phase === "Running" && status.podIP !== undefined) return status.podIP;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`the pod ${pod} does not run`);
}

/** Returns the command lines of processes that work in the folder of a cluster. */
function processesOf(kubeconfigPath: string): string[] {
  const folder = kubeconfigPath.replace(/\/[^/]+$/, "");
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .map((pid) => commandLine(pid))
    .filter((line) => line.includes(folder));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
