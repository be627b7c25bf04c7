import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { identify } from "../processes/process-identity.ts";
import {
  type ClusterRecord,
  clusterNames,
  isOrphan,
  parseRecord,
  readRecord,
  clusterState,
  writeRecord,
} from "./state.ts";

const env = { HOMEOSTAT_CACHE: mkdtempSync(join(tmpdir(), "state-test-")) };
after(() => rmSync(env.HOMEOSTAT_CACHE, { recursive: true }));

const self = identify(process.pid) ?? { pid: 0, started: "" };
const gone = { ...self, started: "before" };
const record: ClusterRecord = {
  name: "a",
  kind: "node",
  phase: "running",
  created: "2026-01-02T03:04:05.000Z",
  ports: { apiserver: 1, etcd: 2, etcdPeer: 3, controllerManager: 4, scheduler: 5 },
  address: "127.0.0.1",
  binaries: "/bin",
  dataFolder: "/data",
  slot: 3,
  nodes: 2,
  starter: self,
  owner: gone,
  processes: [{ component: "etcd", ...self }],
};

describe("the record of a cluster", () => {
  it("is read as it was written, and only its owner can read it", () => {
    writeRecord(env, record);

    assert.deepEqual(readRecord(env, "a"), record);
    assert.deepEqual(clusterNames(env), ["a"]);
    assert.equal(statSync(join(env.HOMEOSTAT_CACHE, "clusters/a/cluster.json")).mode & 0o777, 0o600);
  });

  it("is undefined if it is missing or damaged", () => {
    assert.equal(readRecord(env, "b"), undefined);
    writeFileSync(join(env.HOMEOSTAT_CACHE, "clusters/a/cluster.json"), '{"name":');
    assert.equal(readRecord(env, "a"), undefined);
    assert.deepEqual(clusterNames(env), ["a"], "the folder still has to be removed");
  });

  it("is undefined if a field is missing or of a wrong type", () => {
    for (const key of ["name", "kind", "phase", "created", "ports", "address", "binaries", "dataFolder"]) {
      assert.equal(parseRecord({ ...record, [key]: undefined }), undefined, key);
      assert.equal(parseRecord({ ...record, [key]: 7 }), undefined, key);
    }
    assert.equal(parseRecord({ ...record, ports: { ...record.ports, etcd: "2" } }), undefined);
    assert.equal(parseRecord(undefined), undefined);
  });
});

describe("clusterState", () => {
  it("is running only while every process runs", () => {
    assert.equal(clusterState(record), "running");
    assert.equal(
      clusterState({ ...record, processes: [...record.processes, { component: "kubelet", ...gone }] }),
      "broken",
    );
    assert.equal(clusterState({ ...record, processes: [] }), "broken");
  });

  it("is broken if its starter has exited", () => {
    assert.equal(clusterState({ ...record, phase: "starting" }), "starting");
    assert.equal(clusterState({ ...record, phase: "starting", starter: gone }), "broken");
  });

  it("distinguishes stopped and failed", () => {
    assert.equal(clusterState({ ...record, phase: "stopped", processes: [] }), "stopped");
    assert.equal(clusterState({ ...record, phase: "failed", processes: [] }), "failed");
  });
});

describe("isOrphan", () => {
  it("is true for a cluster whose owner has exited, never for one without an owner", () => {
    const { owner: _, ...personal } = record;

    assert.equal(isOrphan(record), true);
    assert.equal(isOrphan({ ...record, owner: self }), false);
    assert.equal(isOrphan(personal), false);
  });
});
