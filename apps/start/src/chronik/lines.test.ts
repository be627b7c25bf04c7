import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { restartLine, stateOf, statusLines } from "./lines.ts";

describe("the lines printed for a Chronik cluster", () => {
  it("show the phase, with the last error of a failed cluster in one line", () => {
    const at = "2026-01-01T00:00:00Z";
    const lastError = {
      class: "Permanent",
      reason: "Forbidden",
      message: "roles is forbidden:\n  no permission",
      step: "Apply",
      count: 1,
      firstSeen: at,
      lastSeen: at,
    } as const;

    assert.equal(stateOf({}), "Pending");
    assert.equal(stateOf({ phase: "Updating", lastError }), "Updating");
    assert.equal(stateOf({ phase: "Failed" }), "Failed");
    assert.equal(stateOf({ phase: "Failed", lastError }), "Failed: roles is forbidden: no permission");
  });

  it("show the address and the quorum of a running cluster", () => {
    const bootstrapServers = "events-ingest-bootstrap.default.svc.cluster.local:9092";
    const quorum = { voters: 3, ready: 2 };

    assert.deepEqual(statusLines({ phase: "Creating", bootstrapServers, quorum }), []);
    assert.deepEqual(statusLines({ phase: "Running" }), []);
    assert.deepEqual(statusLines({ phase: "Running", bootstrapServers, quorum }), [
      `bootstrap servers inside the cluster: ${bootstrapServers}`,
      "quorum: 2 of 3 voters ready",
    ]);
    assert.deepEqual(statusLines({ phase: "Running", quorum: { ...quorum, leader: "events-controller-1" } }), [
      "quorum: 2 of 3 voters ready, leader events-controller-1",
    ]);
  });

  it("show the result of a rolling update", () => {
    assert.equal(
      restartLine({ pods: 5, restarted: 5, unavailableMax: 1 }),
      "5 of 5 pods restarted, at most 1 unavailable at the same time",
    );
  });
});
