import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asStored, removeFinalizer, type Stored } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import fc from "fast-check";
import { type BackoffRecord, noFailures } from "./backoff.ts";
import { job, now, pod } from "../../testing/jobs.ts";
import { isFinished, isTracked, type StoredJob, trackingFinalizer } from "./job.ts";
import { JobReconcile } from "./reconcile.ts";
import { viewJob } from "./view.ts";

class CrashError extends Error {}

/** A simulated cluster of one Job and its pods, in which the controller may crash before or after any write. */
class SimulatedCluster {
  job: StoredJob;
  readonly pods = new Map<string, Stored<Pod>>();
  readonly events: string[] = [];
  writes = 0;
  /** The write before which the controller crashes, and whether that write still happens. */
  crash: { readonly at: number; readonly isMade: boolean } | undefined;
  #made = 0;
  /** After the crash nothing is written any more, whatever was in flight. */
  #isDown = false;

  constructor(one: StoredJob, pods: readonly Stored<Pod>[]) {
    this.job = one;
    for (const each of pods) this.pods.set(each.metadata.uid, each);
  }

  async run(record: BackoffRecord = noFailures): Promise<void> {
    const view = viewJob(this.job, [...this.pods.values()], { record, now });
    await new JobReconcile({
      event: ({ reason }) => void this.events.push(reason),
      createPod: (wanted) =>
        this.#write(() => {
          const uid = `new-${(this.#made += 1)}`;
          const made = {
            ...pod(uid, { phase: "Pending" }),
            metadata: { ...wanted.metadata, name: uid, uid, resourceVersion: "1" },
          };
          this.pods.set(uid, made);
          return made;
        }),
      deletePod: ({ metadata }) => this.#write(() => this.#delete(metadata.uid)),
      releasePod: ({ metadata }) =>
        this.#write(() => {
          const existing = this.pods.get(metadata.uid);
          if (existing === undefined) return;
          this.pods.set(metadata.uid, removeFinalizer(existing, trackingFinalizer));
          if (existing.metadata.deletionTimestamp !== undefined) this.pods.delete(metadata.uid);
        }),
      writeStatus: (before, status) =>
        this.#write(() => {
          this.job = asStored({ ...before, status } as Job);
          return this.job as Job;
        }),
    }).perform(view);
  }

  /** Reconciles until nothing is written any more. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 30; turn += 1) {
      const before = this.writes;
      if (isFinished(this.job)) return;
      try {
        await this.run();
      } catch (error) {
        if (!this.#isDown) throw error;
      }
      if (this.#isDown) {
        this.crash = undefined;
        this.#isDown = false;
        continue;
      }
      if (this.writes === before) return;
    }
    assert.fail("the Job does not settle");
  }

  #delete(uid: string): { readonly wasFound: boolean } {
    const existing = this.pods.get(uid);
    if (existing === undefined) return { wasFound: false };
    // Without a node, a pod with no finalizer is deleted at once.
    if (isTracked(existing)) {
      this.pods.set(uid, {
        ...existing,
        metadata: { ...existing.metadata, deletionTimestamp: "2026-01-01T12:00:00Z" },
      });
    } else this.pods.delete(uid);
    return { wasFound: true };
  }

  async #write<R>(change: () => R): Promise<R> {
    if (this.#isDown) throw new CrashError();
    this.writes += 1;
    this.#isDown = this.crash?.at === this.writes;
    if (this.#isDown && this.crash?.isMade === false) throw new CrashError();
    const result = change();
    if (this.#isDown) throw new CrashError();
    return result;
  }
}

describe("a Job reconcile", () => {
  it("creates pods and records events", async () => {
    const simulated = new SimulatedCluster(job({ parallelism: 2, completions: 2 }), []);

    await simulated.settle();

    assert.deepEqual(simulated.job.status, {
      startTime: "2026-01-01T12:00:00Z",
      active: 2,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
    });
    assert.deepEqual(simulated.events, ["SuccessfulCreate", "SuccessfulCreate"]);
  });

  it("counts a succeeded pod and completes the Job", async () => {
    const simulated = new SimulatedCluster(job(), [pod("a", { phase: "Succeeded" })]);

    await simulated.settle();

    const { status } = simulated.job;
    assert.equal(status?.succeeded, 1);
    assert.deepEqual(
      status?.conditions?.map(({ type, reason }) => `${type} ${reason}`),
      ["SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"],
    );
    assert.equal(status?.completionTime, "2026-01-01T12:00:00Z");
    assert.equal([...simulated.pods.values()].some(isTracked), false);
    assert.deepEqual(simulated.events, ["Completed"]);
  });

  it("counts every pod once, wherever the controller crashes", async () => {
    const phases = fc.constantFrom("Succeeded" as const, "Failed" as const, "Running" as const);
    const crashes = fc.record({ at: fc.integer({ min: 1, max: 14 }), isMade: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(phases, { minLength: 1, maxLength: 4 }), crashes, async (ends, crash) => {
        const pods = ends.map((phase, index) => pod(`p${index}`, { phase, endedAgo: 3600 }));
        const simulated = new SimulatedCluster(job({ parallelism: 4, completions: 4, backoffLimit: 10 }), pods);
        simulated.crash = crash;

        await simulated.settle();

        const succeeded = ends.filter((phase) => phase === "Succeeded").length;
        const failed = ends.filter((phase) => phase === "Failed").length;
        assert.equal(simulated.job.status?.succeeded ?? 0, succeeded);
        assert.equal(simulated.job.status?.failed ?? 0, failed);
        assert.deepEqual(simulated.job.status?.uncountedTerminatedPods, {});
        const held = [...simulated.pods.values()].filter(isTracked);
        assert.ok(held.every(({ status }) => status?.phase === "Running" || status?.phase === "Pending"));
      }),
      { numRuns: 300 },
    );
  });

  it("fails the Job once, with all pods counted, wherever the controller crashes", async () => {
    for (let at = 1; at <= 16; at += 1) {
      for (const isMade of [true, false]) {
        const pods = [pod("a", { phase: "Failed" }), pod("b"), pod("c", { phase: "Pending" })];
        const simulated = new SimulatedCluster(job({ parallelism: 3, completions: 3, backoffLimit: 0 }), pods);
        simulated.crash = { at, isMade };

        await simulated.settle();

        const { status } = simulated.job;
        assert.equal(status?.failed, 3, `${at} ${isMade}`);
        assert.deepEqual(
          status?.conditions?.map(({ type, reason }) => `${type} ${reason}`),
          ["FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded"],
        );
        assert.deepEqual([...simulated.pods.keys()], ["a"]);
      }
    }
  });

  it("deletes the active pods of a suspended Job without counting them", async () => {
    const simulated = new SimulatedCluster(job({ suspend: true }, { startTime: "2026-01-01T11:00:00Z" }), [pod("a")]);

    await simulated.settle();

    const { status } = simulated.job;
    assert.equal(status?.failed, undefined);
    assert.equal(status?.startTime, undefined);
    assert.deepEqual(
      status?.conditions?.map(({ type, status: value }) => `${type} ${value}`),
      ["Suspended True"],
    );
    assert.equal(simulated.pods.size, 0);
    assert.deepEqual(simulated.events, ["SuccessfulDelete", "Suspended"]);
  });
});
