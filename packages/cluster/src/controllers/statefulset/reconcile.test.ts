import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asStored, type Stored } from "@homeostat/core";
import type { ControllerRevision } from "@homeostat/kubernetes/apps/v1";
import type { PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import { now, stateful, statefulMember } from "../../testing/stateful-sets.ts";
import type { StoredStateful } from "./ordinals.ts";
import { revisionFor, type StoredRevision } from "./revisions.ts";
import { StatefulSetReconcile } from "./reconcile.ts";
import type { DraftStatus } from "./status.ts";

/** The writes of one reconcile. */
interface Done {
  readonly writes: readonly string[];
  readonly status: DraftStatus | undefined;
  readonly events: readonly string[];
}

const revisionOf = (set: StoredStateful, revision = 1): StoredRevision => {
  const made = revisionFor(set, { revision, collisionCount: 0 }) as ControllerRevision;
  return asStored({ ...made, metadata: { ...made.metadata, uid: String(revision), resourceVersion: "1" } });
};

async function run(
  set: StoredStateful,
  pods: readonly Stored<Pod>[],
  revisions: readonly StoredRevision[],
): Promise<Done> {
  const writes: string[] = [];
  const events: string[] = [];
  const claims = new Map<string, PersistentVolumeClaim>();
  let status: DraftStatus | undefined;
  const note = (verb: string, name: string | undefined): void => void writes.push(`${verb} ${name}`);
  await new StatefulSetReconcile(set, {
    now,
    event: ({ reason, note: text }) => void events.push(`${reason}: ${text}`),
    claim: (name) => claims.get(name),
    createClaim: async (claim) => {
      note("claim", claim.metadata.name);
      claims.set(claim.metadata.name ?? "", claim as PersistentVolumeClaim);
    },
    updateClaim: async (claim) => note("update claim", claim.metadata.name),
    createPod: async (pod) => {
      note("create", pod.metadata.name);
      return { ...pod, status: { phase: "Pending" } } as Pod;
    },
    updatePod: async (pod) => note("update", pod.metadata.name),
    deletePod: async (pod) => note("delete", pod.metadata.name),
    readRevision: async () => undefined,
    createRevision: async (revision) => {
      note("revision", String(revision.revision));
      return { ...revision, metadata: { ...revision.metadata, uid: "x", resourceVersion: "1" } } as ControllerRevision;
    },
    updateRevision: async (revision) => revision as ControllerRevision,
    deleteRevision: async ({ revision }) => note("forget", String(revision)),
    writeStatus: async (next) => {
      status = next;
    },
  }).perform(pods, revisions);
  return { writes, status, events };
}

describe("a StatefulSet reconcile", () => {
  const set = stateful();
  const first = revisionOf(set);
  const revision = first.metadata.name;
  const changed = stateful({
    template: { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "db", image: "y" }] } },
  });

  it("creates the first pod and waits for it", async () => {
    const { writes, status, events } = await run(set, [], []);

    assert.deepEqual(writes, ["revision 1", "create db-0"]);
    assert.deepEqual(events, ["SuccessfulCreate: Create Pod db-0 in StatefulSet db successful"]);
    assert.deepEqual(status, {
      observedGeneration: 1,
      replicas: 1,
      readyReplicas: 0,
      availableReplicas: 0,
      currentReplicas: 1,
      updatedReplicas: 1,
      currentRevision: revision,
      updateRevision: revision,
      collisionCount: 0,
    });
  });

  it("creates the next pod when the one before is ready, and not earlier", async () => {
    const waiting = await run(set, [statefulMember(0, { revision, isReady: false })], [first]);
    const ready = await run(set, [statefulMember(0, { revision })], [first]);

    assert.deepEqual(waiting.writes, []);
    assert.deepEqual(ready.writes, ["create db-1"]);
  });

  it("creates all pods and their claims at once with the Parallel policy", async () => {
    const volumeClaimTemplates = [
      { apiVersion: "v1" as const, kind: "PersistentVolumeClaim" as const, metadata: { name: "data" } },
    ];
    const parallel = stateful({ podManagementPolicy: "Parallel", volumeClaimTemplates, ordinals: { start: 4 } });

    const { writes } = await run(parallel, [], [revisionOf(parallel)]);

    assert.deepEqual(writes.toSorted(), [
      "claim data-db-4",
      "claim data-db-5",
      "claim data-db-6",
      "create db-4",
      "create db-5",
      "create db-6",
    ]);
  });

  it("deletes the pod with the highest ordinal first, one at a time", async () => {
    const pods = [0, 1, 2, 3, 4].map((ordinal) => statefulMember(ordinal, { revision }));

    assert.deepEqual((await run(set, pods, [first])).writes, ["delete db-4"]);
    assert.deepEqual(
      (await run(set, pods.with(4, statefulMember(4, { revision, isBeingDeleted: true })), [first])).writes,
      [],
    );
  });

  it("updates pods from the highest ordinal, one at a time, down to the partition", async () => {
    const second = revisionOf(changed, 2);
    const revisions = [first, second];
    const status = { replicas: 3, currentRevision: revision, updateRevision: second.metadata.name };
    const at = (partition: number): StoredStateful => ({
      ...changed,
      status,
      spec: { ...changed.spec, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } } },
    });
    const old = [0, 1, 2].map((ordinal) => statefulMember(ordinal, { revision }));
    const fresh = statefulMember(2, { revision: second.metadata.name });

    assert.deepEqual((await run(at(0), old, revisions)).writes, ["delete db-2"]);
    assert.deepEqual((await run(at(0), old.with(2, fresh), revisions)).writes, ["delete db-1"]);
    assert.deepEqual((await run(at(2), old.with(2, fresh), revisions)).writes, []);
    const unready = statefulMember(2, { revision: second.metadata.name, isReady: false });
    assert.deepEqual((await run(at(0), old.with(2, unready), revisions)).writes, []);
  });

  it("recreates a pod below the partition in its old revision", async () => {
    const second = revisionOf(changed, 2);
    const partly = { ...changed, spec: { ...changed.spec, updateStrategy: { rollingUpdate: { partition: 1 } } } };
    const withStatus = { ...partly, status: { replicas: 3, currentRevision: revision } };

    const { status } = await run(withStatus, [], [first, second]);

    assert.equal(status?.currentReplicas, 1);
    assert.equal(status?.updatedReplicas, 0);
  });

  it("does not replace pods with the OnDelete strategy", async () => {
    const second = revisionOf(changed, 2);
    const onDelete = { ...changed, spec: { ...changed.spec, updateStrategy: { type: "OnDelete" as const } } };
    const old = [0, 1, 2].map((ordinal) => statefulMember(ordinal, { revision }));

    assert.deepEqual((await run(onDelete, old, [first, second])).writes, []);
  });

  it("deletes a failed pod and creates it again once it is deleted", async () => {
    const failed = statefulMember(0, { revision, phase: "Failed" });

    assert.deepEqual((await run(set, [failed], [first])).writes, ["delete db-0"]);
  });

  it("makes the new revision current when all pods have it", async () => {
    const second = revisionOf(changed, 2);
    const status = { replicas: 3, currentRevision: revision };
    const pods = [0, 1, 2].map((ordinal) => statefulMember(ordinal, { revision: second.metadata.name }));

    const done = await run({ ...changed, status }, pods, [first, second]);

    assert.equal(done.status?.currentRevision, second.metadata.name);
    assert.equal(done.status?.currentReplicas, 3);
  });

  it("deletes the oldest unused revisions", async () => {
    const small = { ...set, spec: { ...set.spec, revisionHistoryLimit: 1 } };
    const others = [2, 3, 4].map((number) =>
      revisionOf(stateful({ template: { metadata: { labels: { of: String(number) } } } }), number),
    );
    const pods = [0, 1, 2].map((ordinal) => statefulMember(ordinal, { revision }));
    const latest = { ...first, revision: 5 };

    const { writes } = await run(small, pods, [...others, latest]);

    assert.deepEqual(writes, ["forget 2", "forget 3"]);
  });
});
