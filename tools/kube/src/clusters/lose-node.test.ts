import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { down } from "./down.ts";
import { ClusterStateError } from "../errors.ts";
import { loseNode } from "./lose-node.ts";
import { clusterFolder } from "../cache/paths.ts";
import { isAlive } from "../processes/process-identity.ts";
import { start } from "../control-plane/processes.ts";
import { type ComponentProcess, clusterPaths, readRecord, writeRecord } from "../records/state.ts";

const env = { HOMEOSTAT_CACHE: mkdtempSync(join(tmpdir(), "lose-node-test-")) };
after(() => rmSync(env.HOMEOSTAT_CACHE, { recursive: true }));

async function sleeper(name: string, component: string): Promise<ComponentProcess> {
  const folder = clusterFolder(env, name);
  mkdirSync(folder, { recursive: true });
  const args = ["-e", "setInterval(() => {}, 1000)"];
  const logPath = join(folder, "log", component);
  return (await start({ component, command: process.execPath, args, clusterFolder: folder, logPath, env: {} })).process;
}

async function startSleepers(name: string, components: readonly string[]): Promise<readonly ComponentProcess[]> {
  const processes = await Promise.all(components.map((component) => sleeper(name, component)));
  writeRecord(env, {
    name,
    kind: "node",
    phase: "running",
    created: "2026-01-01T00:00:00Z",
    ports: { apiserver: 1, etcd: 2, etcdPeer: 3, controllerManager: 4, scheduler: 5 },
    address: "127.0.0.1",
    binaries: "/none",
    dataFolder: "/none",
    // No slot that a cluster of this machine could have.
    slot: 55,
    nodes: 2,
    processes,
  });
  return processes;
}

describe("loseNode", () => {
  it("ends the processes of one node, and the cluster counts as running without them", async () => {
    const processes = await startSleepers("a", ["etcd", "machine", "kubelet", "machine-2", "kubelet-2", "coredns-2"]);
    const { kubeconfig: kubeconfigPath } = clusterPaths(clusterFolder(env, "a"));

    await loseNode({ kubeconfigPath, node: "node2", env });

    const left = ["etcd", "machine", "kubelet"];
    assert.deepEqual(
      processes.filter(isAlive).map(({ component }) => component),
      left,
    );
    assert.deepEqual(
      readRecord(env, "a")?.processes.map(({ component }) => component),
      left,
    );
    await down("a", { env, report: () => undefined });
    assert.ok(!processes.some(isAlive));
  });

  it("rejects the first node and unknown ones, and names the others", async () => {
    const [process] = await startSleepers("b", ["machine"]);
    const { kubeconfig: kubeconfigPath } = clusterPaths(clusterFolder(env, "b"));

    for (const node of ["node1", "node3"])
      await assert.rejects(
        loseNode({ kubeconfigPath, node, env }),
        (error) => error instanceof ClusterStateError && error.message.endsWith(" that can be lost. Possible: node2."),
      );

    assert.ok(process !== undefined && isAlive(process));
    await down("b", { env, report: () => undefined });
  });
});
