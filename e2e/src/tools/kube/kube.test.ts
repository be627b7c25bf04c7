// The Kubernetes that tools/kube starts: clusters in parallel, a running pod, and no leftover processes.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
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

describe("a node", { skip: (await reasonToSkip({ need: "node" })) ?? false }, () => {
  it("runs a pod until it is ready, and assigns an address", async () => {
    await using cluster = await startCluster({ need: "node" });
    const container = { name: "main", image: "docker.io/local/pause:1", imagePullPolicy: "Never" };

    const created = await cluster.request({
      method: "POST",
      path: "/api/v1/namespaces/default/pods",
      body: { metadata: { name: "hello" }, spec: { containers: [container] } },
    });
    assert.equal(created.status, 201, created.text);

    let phase: unknown;
    let address: unknown;
    for (let tries = 0; tries < 120 && phase !== "Running"; tries += 1) {
      const { body } = await cluster.request({ path: "/api/v1/namespaces/default/pods/hello" });
      const status = (body as { status?: { phase?: string; podIP?: string } }).status;
      phase = status?.phase;
      address = status?.podIP;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    assert.equal(phase, "Running");
    assert.match(String(address), /^10\./);
  });
});

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
