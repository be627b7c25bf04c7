import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTime } from "@homeostat/core";
import { at, snapshotOf, totalRow, viewOf } from "../live/snapshots.fixture.test.ts";
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

describe("a stop", () => {
  it("is nothing when nobody wants one", () => {
    assert.deepEqual(decide({}), { type: "none" });
  });

  it("is ignored by a test that is over", () => {
    for (const phase of ["Succeeded", "Failed"] as const)
      assert.deepEqual(decide({ phase, request }), { type: "none" });
  });

  it("begins by being remembered", () => {
    assert.deepEqual(decide({ request, now: at + 999 }), { type: "begin", stop });
  });

  it("is over at once when nothing runs yet", () => {
    assert.deepEqual(decide({ phase: "Pending", request }), { type: "discard", stop });
    assert.deepEqual(decide({ phase: "Pending", stop }), { type: "discard", stop }, "also after a crash in between");
  });

  it("asks the master while users run, before and after a restart of the operator", () => {
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

  it("waits while the users leave, and for their last numbers", () => {
    for (const state of ["stopping", "cleanup", "stopped"])
      assert.equal(decide({ stop, view: viewOf({ snapshot: snapshotOf({ state }) }) }).type, "wait", state);
  });

  it("ends the Jobs when the numbers are final", () => {
    const view = viewOf({ snapshot: snapshotOf({ state: "stopped" }), isFinal: true });

    assert.deepEqual(decide({ stop, view }), { type: "end", isSwarmStopped: true });
  });

  it("ends the Jobs again when it was interrupted in that", () => {
    const swarmStopped = { ...stop, swarmStopped: true };

    assert.deepEqual(decide({ stop: swarmStopped, view: undefined }), { type: "end", isSwarmStopped: true });
    assert.deepEqual(decide({ stop: swarmStopped }), { type: "end", isSwarmStopped: true });
  });

  it("ends the Jobs at once when no users ever came", () => {
    for (const state of ["ready", "stopped"]) {
      const snapshot = snapshotOf({ state, rows: [totalRow({ requests: 0 })] });

      assert.deepEqual(decide({ stop, view: viewOf({ snapshot, startedAt: undefined }) }), {
        type: "end",
        isSwarmStopped: true,
      });
    }
  });

  it("ends the Jobs without asking a master that cannot be asked", () => {
    for (const reason of ["WebUIDisabled", "AuthRequired", "Unreachable", "Disabled"] as const)
      assert.deepEqual(decide({ stop, view: viewOf({ reason }) }), { type: "end", isSwarmStopped: false }, reason);
    assert.deepEqual(decide({ stop, view: undefined }), { type: "end", isSwarmStopped: false });
  });

  it("waits stop-timeout and 75 s for a master, and no longer", () => {
    const after = (seconds: number): string => decide({ stop, stopTimeoutSeconds: 10, now: at + seconds * 1_000 }).type;

    assert.deepEqual([after(84), after(85)], ["stop-swarm", "end"]);
    assert.equal(after(-5), "stop-swarm", "the estimated time of another replica may be a little behind");
    assert.equal(after(-6), "end", "a clock that was set back does not prolong the wait");
  });

  it("comes to its end from every state, whatever the master says", () => {
    const states = ["ready", "spawning", "running", "cleanup", "stopping", "stopped", "missing", "unheard"];
    for (const state of states) {
      const view = viewOf({ snapshot: snapshotOf({ state }) });
      const steps = [0, 30_000, 75_000].map((ms) => decide({ stop, view, now: at + ms }).type);

      assert.equal(steps.at(-1), "end", state);
    }
  });
});

describe("who wants a stop", () => {
  const broken = { metric: "failRatio", name: "Aggregated", limit: "max 0.1", actual: 0.5, passed: false } as const;
  const late = { startTime: formatTime(at), timeoutSeconds: 60, now: at + 60_000 };

  it("is nobody at first", () => {
    assert.equal(stopRequest({ now: at }), undefined);
    assert.equal(stopRequest({ now: at, annotation: "  " }), undefined);
    assert.equal(stopRequest({ ...late, now: at + 59_999 }), undefined);
    assert.equal(stopRequest({ timeoutSeconds: 1, now: at }), undefined, "a test that has not started has no deadline");
  });

  it("is a user by an annotation, a threshold, or the deadline, in this order", () => {
    assert.deepEqual(stopRequest({ ...late, annotation: " now ", broken }), { trigger: "Annotation", reason: "now" });
    assert.deepEqual(stopRequest({ ...late, broken }), {
      trigger: "Threshold",
      reason: "failRatio of Aggregated is 0.5, limit is max 0.1",
    });
    assert.equal(stopRequest(late)?.trigger, "Deadline");
  });

  it("is not a user whose annotation was there before this run", () => {
    assert.equal(stopRequest({ now: at, annotation: "old", ignoredAnnotation: "old" }), undefined);
    assert.equal(stopRequest({ now: at, annotation: "new", ignoredAnnotation: "old" })?.reason, "new");
  });

  it("may say as much as fits a message", () => {
    assert.equal(stopRequest({ now: at, annotation: "x".repeat(10_000) })?.reason.length, 256);
  });

  it("is the deadline after timeoutSeconds, which can be waited for", () => {
    assert.equal(deadlineInMs({ ...late, now: at + 20_000 }), 40_000);
    assert.equal(deadlineInMs({ ...late, now: at + 90_000 }), 0);
    assert.equal(deadlineInMs({ now: at, startTime: formatTime(at) }), undefined);
  });
});
