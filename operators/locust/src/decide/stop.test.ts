import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTime } from "@homeostat/core";
import { at, snapshotOf, totalRow, viewOf } from "../testing/snapshots.ts";
import type { Stop } from "../api/locust-test.ts";
import { deadlineInMs, decideStop, type StopInput, stopRequest, type StopStep } from "./stop.ts";

const request = { trigger: "Annotation", reason: "enough" } as const;
const stop: Stop = { requestedAt: formatTime(at), ...request };

function decide(changes: Partial<StopInput>): StopStep {
  return decideStop({
    phase: "Running",
    stop: undefined,
    request: undefined,
    view: viewOf(),
    stopTimeoutSeconds: 0,
    now: at,
    ...changes,
  });
}

describe("decideStop", () => {
  it("does nothing without a request", () => {
    assert.deepEqual(decide({}), { type: "none" });
  });

  it("ignores requests for a finished test", () => {
    for (const phase of ["Succeeded", "Failed"] as const)
      assert.deepEqual(decide({ phase, request }), { type: "none" });
  });

  it("first records the stop", () => {
    assert.deepEqual(decide({ request, now: at + 999 }), { type: "begin", stop });
  });

  it("discards a test that is still Pending", () => {
    assert.deepEqual(decide({ phase: "Pending", request }), { type: "discard", stop });
    assert.deepEqual(decide({ phase: "Pending", stop }), { type: "discard", stop }, "also after a crash in between");
  });

  it("requests the master to stop while users run, also after a restart of the operator", () => {
    for (const state of ["spawning", "running"])
      for (const startedAt of [at, undefined])
        assert.equal(
          decide({ stop, view: viewOf({ snapshot: snapshotOf({ state }), startedAt }) }).type,
          "stop-swarm",
          state,
        );
    const unseen = viewOf({ snapshot: undefined, reason: "WaitingForMaster", startedAt: undefined });
    assert.equal(decide({ stop, view: unseen }).type, "stop-swarm");
  });

  it("waits while users stop, and for their final statistics", () => {
    for (const state of ["stopping", "cleanup", "stopped"])
      assert.equal(decide({ stop, view: viewOf({ snapshot: snapshotOf({ state }) }) }).type, "wait", state);
  });

  it("ends the Jobs when the statistics are final", () => {
    const view = viewOf({ snapshot: snapshotOf({ state: "stopped" }), isFinal: true });

    assert.deepEqual(decide({ stop, view }), { type: "end", isSwarmStopped: true });
  });

  it("ends the Jobs again after an interruption", () => {
    const swarmStopped = { ...stop, swarmStopped: true };

    assert.deepEqual(decide({ stop: swarmStopped, view: undefined }), { type: "end", isSwarmStopped: true });
    assert.deepEqual(decide({ stop: swarmStopped }), { type: "end", isSwarmStopped: true });
  });

  it("ends the Jobs immediately if there never were users", () => {
    for (const state of ["ready", "stopped"]) {
      const snapshot = snapshotOf({ state, rows: [totalRow({ requests: 0 })] });

      assert.deepEqual(decide({ stop, view: viewOf({ snapshot, startedAt: undefined }) }), {
        type: "end",
        isSwarmStopped: true,
      });
    }
  });

  it("ends the Jobs without a request to an unreachable master", () => {
    for (const reason of ["WebUIDisabled", "AuthRequired", "Unreachable", "Disabled"] as const)
      assert.deepEqual(decide({ stop, view: viewOf({ reason }) }), { type: "end", isSwarmStopped: false }, reason);
    assert.deepEqual(decide({ stop, view: undefined }), { type: "end", isSwarmStopped: false });
  });

  it("waits at most stop-timeout and 75 s for a master", () => {
    const after = (seconds: number): string => decide({ stop, stopTimeoutSeconds: 10, now: at + seconds * 1_000 }).type;

    assert.deepEqual([after(84), after(85)], ["stop-swarm", "end"]);
    assert.equal(after(-5), "stop-swarm", "the estimated time of another replica may be a little behind");
    assert.equal(after(-6), "end", "a clock that was set back does not prolong the wait");
  });

  it("ends the test from every state, whatever the master responds", () => {
    const states = ["ready", "spawning", "running", "cleanup", "stopping", "stopped", "missing", "unheard"];
    for (const state of states) {
      const view = viewOf({ snapshot: snapshotOf({ state }) });
      const steps = [0, 30_000, 75_000].map((ms) => decide({ stop, view, now: at + ms }).type);

      assert.equal(steps.at(-1), "end", state);
    }
  });
});

describe("stopRequest", () => {
  const broken = { metric: "failRatio", name: "Aggregated", limit: "max 0.1", actual: 0.5, passed: false } as const;
  const late = { startTime: formatTime(at), timeoutSeconds: 60, now: at + 60_000 };

  it("returns undefined without a trigger", () => {
    assert.equal(stopRequest({ now: at }), undefined);
    assert.equal(stopRequest({ now: at, annotation: "  " }), undefined);
    assert.equal(stopRequest({ ...late, now: at + 59_999 }), undefined);
    assert.equal(stopRequest({ timeoutSeconds: 1, now: at }), undefined, "a test that has not started has no deadline");
  });

  it("prefers the annotation, then a threshold, then the deadline", () => {
    assert.deepEqual(stopRequest({ ...late, annotation: " now ", broken }), { trigger: "Annotation", reason: "now" });
    assert.deepEqual(stopRequest({ ...late, broken }), {
      trigger: "Threshold",
      reason: "failRatio of Aggregated is 0.5, limit is max 0.1",
    });
    assert.equal(stopRequest(late)?.trigger, "Deadline");
  });

  it("ignores an annotation that was set before this run", () => {
    assert.equal(stopRequest({ now: at, annotation: "old", ignoredAnnotation: "old" }), undefined);
    assert.equal(stopRequest({ now: at, annotation: "new", ignoredAnnotation: "old" })?.reason, "new");
  });

  it("truncates long reasons", () => {
    assert.equal(stopRequest({ now: at, annotation: "x".repeat(10_000) })?.reason.length, 256);
  });

  it("returns the deadline after timeoutSeconds", () => {
    assert.equal(deadlineInMs({ ...late, now: at + 20_000 }), 40_000);
    assert.equal(deadlineInMs({ ...late, now: at + 90_000 }), 0);
    assert.equal(deadlineInMs({ now: at, startTime: formatTime(at) }), undefined);
  });
});
