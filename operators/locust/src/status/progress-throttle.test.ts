import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Progress } from "../api/locust-test.ts";
import { type LiveFields, throttled } from "./progress.ts";

const stored: LiveFields = {
  progress: { state: "running", currentUsers: 5, lastUpdated: "2026-01-01T12:00:00Z" },
  workers: { ready: 0, spawning: 0, running: 2, missing: 0 },
};
const next = (changes: Partial<Progress>, second: number): LiveFields => ({
  ...stored,
  progress: {
    state: "running",
    currentUsers: 5,
    ...changes,
    lastUpdated: `2026-01-01T12:00:${String(second).padStart(2, "0")}Z`,
  },
});

describe("live statistics in the status", () => {
  it("are written at most every ten seconds", () => {
    const early = throttled({ stored, next: next({ currentUsers: 6 }, 9), isUrgent: false });
    const due = next({ currentUsers: 6 }, 10);

    assert.equal(early, stored);
    assert.equal(throttled({ stored, next: due, isUrgent: false }), due);
  });

  it("are not written if only the time has changed", () => {
    assert.equal(throttled({ stored, next: next({}, 59), isUrgent: true }), stored);
  });

  it("are written immediately with a new state, a new number of workers, or at the end", () => {
    const state = next({ state: "stopped" }, 11);
    const urgent = next({ currentUsers: 7 }, 11);

    assert.equal(throttled({ stored, next: state, isUrgent: false }), state);
    assert.equal(throttled({ stored, next: urgent, isUrgent: true }), urgent);
  });

  it("are written immediately the first time", () => {
    const first = next({}, 10);

    assert.equal(throttled({ stored: {}, next: first, isUrgent: false }), first);
  });

  it("are still written after a clock was set back", () => {
    const back: LiveFields = { progress: { state: "running", currentUsers: 9, lastUpdated: "2026-01-01T11:00:00Z" } };

    assert.equal(throttled({ stored, next: back, isUrgent: false }), back);
  });
});
