import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ObservedPod, RollingUpdate } from "./rolling-update.ts";

const pod = (name: string, uid: string, state: "ready" | "starting" | "terminating"): ObservedPod => ({
  metadata: { name, uid, ...(state === "terminating" && { deletionTimestamp: "2026-01-01T00:00:00Z" }) },
  status: { conditions: [{ type: "Ready", status: state === "starting" ? "False" : "True" }] },
});

/** Returns an update of two ready pods that has begun. */
function begun(): RollingUpdate {
  const update = new RollingUpdate();
  update.observe(pod("a", "a1", "starting"), false);
  update.observe(pod("a", "a1", "ready"), false);
  update.observe(pod("b", "b1", "ready"), false);
  update.begin();
  return update;
}

function replace(update: RollingUpdate, name: string): void {
  update.observe(pod(name, `${name}1`, "terminating"), false);
  update.observe(pod(name, `${name}1`, "terminating"), true);
  update.observe(pod(name, `${name}2`, "starting"), false);
  update.observe(pod(name, `${name}2`, "ready"), false);
}

describe("the progress of a rolling update", () => {
  it("counts pods that were replaced and are ready again", () => {
    const update = begun();

    assert.deepEqual(update.progress, { pods: 2, restarted: 0, unavailableMax: 0 });
    replace(update, "b");
    assert.deepEqual(update.progress, { pods: 2, restarted: 1, unavailableMax: 1 });
    update.observe(pod("a", "a1", "terminating"), true);
    update.observe(pod("a", "a2", "starting"), false);
    assert.deepEqual(update.progress, { pods: 2, restarted: 1, unavailableMax: 1 });
    update.observe(pod("a", "a2", "ready"), false);
    assert.deepEqual(update.progress, { pods: 2, restarted: 2, unavailableMax: 1 });
  });

  it("counts pods that are unavailable at the same time", () => {
    const update = begun();

    update.observe(pod("a", "a1", "terminating"), false);
    replace(update, "b");

    assert.equal(update.progress.unavailableMax, 2);
  });

  it("ignores the deletion of a pod that is already replaced", () => {
    const update = begun();

    update.observe(pod("a", "a2", "ready"), false);
    update.observe(pod("a", "a1", "terminating"), true);

    assert.deepEqual(update.progress, { pods: 2, restarted: 1, unavailableMax: 0 });
  });

  it("counts nothing before the update begins", () => {
    const update = new RollingUpdate();
    update.observe(pod("a", "a1", "starting"), false);

    assert.deepEqual(update.progress, { pods: 0, restarted: 0, unavailableMax: 0 });
  });
});
