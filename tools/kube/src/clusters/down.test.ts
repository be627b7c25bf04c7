import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { cleanOrphans, down } from "./down.ts";
import { clusterFolder } from "../cache/paths.ts";
import { type ProcessIdentity, identify, isAlive } from "../processes/process-identity.ts";
import { start } from "../control-plane/processes.ts";
import { type ClusterRecord, type ComponentProcess, clusterNames, readRecord, writeRecord } from "../records/state.ts";

const env = { HOMEOSTAT_CACHE: mkdtempSync(join(tmpdir(), "down-test-")) };
after(() => rmSync(env.HOMEOSTAT_CACHE, { recursive: true }));
const options = { env, report: () => undefined };

async function sleeper(name: string, component: string): Promise<ComponentProcess> {
  const folder = clusterFolder(env, name);
  mkdirSync(folder, { recursive: true });
  const args = ["-e", "setInterval(() => {}, 1000)"];
  const logPath = join(folder, "log", "x");
  return (await start({ component, command: process.execPath, args, clusterFolder: folder, logPath, env: {} })).process;
}

function record(name: string, processes: readonly ComponentProcess[], owner?: ProcessIdentity): ClusterRecord {
  return {
    name,
    kind: "control-plane",
    phase: "running",
    created: "2026-01-01T00:00:00Z",
    ports: { apiserver: 1, etcd: 2, etcdPeer: 3, controllerManager: 4, scheduler: 5 },
    address: "127.0.0.1",
    binaries: "/none",
    dataFolder: "/none",
    ...(owner === undefined ? {} : { owner }),
    processes,
  };
}

describe("down", () => {
  it("stops the recorded processes and removes the folder", async () => {
    const processes = [await sleeper("a", "etcd"), await sleeper("a", "kube-apiserver")];
    writeRecord(env, record("a", processes));

    assert.equal(await down("a", options), true);

    assert.ok(!processes.some(isAlive));
    assert.equal(existsSync(clusterFolder(env, "a")), false);
    assert.equal(await down("a", options), false, "the cluster does not exist any more");
  });

  it("keeps the data when requested, and records it", async () => {
    const processes = [await sleeper("b", "etcd")];
    writeRecord(env, record("b", processes));

    await down("b", { ...options, keep: true });

    assert.ok(!processes.some(isAlive));
    assert.deepEqual(readRecord(env, "b"), { ...record("b", []), phase: "stopped" });
    await down("b", options);
  });

  it("never signals another process that has the number of a dead process", async () => {
    const stranger = await sleeper("other", "stranger");
    mkdirSync(clusterFolder(env, "c"), { recursive: true });
    writeRecord(env, record("c", [{ component: "etcd", pid: stranger.pid, started: "long ago" }]));

    await down("c", options);

    assert.ok(isAlive(stranger));
    process.kill(stranger.pid, "SIGKILL");
    rmSync(clusterFolder(env, "other"), { recursive: true });
  });

  if (process.platform === "linux") {
    it("finds unrecorded processes by their environment variable", async () => {
      const stray = await sleeper("d", "etcd");

      await down("d", options);

      assert.equal(isAlive(stray), false);
      assert.deepEqual(clusterNames(env), []);
    });
  }
});

describe("cleanOrphans", () => {
  it("removes clusters whose owner has exited, and no others", async () => {
    const self = identify(process.pid) ?? { pid: 0, started: "" };
    const [gone, kept] = [await sleeper("gone", "etcd"), await sleeper("kept", "etcd")];
    writeRecord(env, record("gone", [gone], { ...self, started: "before" }));
    writeRecord(env, record("kept", [kept], self));

    await cleanOrphans(options);

    assert.equal(isAlive(gone), false);
    assert.equal(isAlive(kept), true);
    assert.deepEqual(clusterNames(env), ["kept"]);
    await down("kept", options);
  });
});
