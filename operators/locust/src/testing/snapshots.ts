import type { LiveView } from "../live/live-view.ts";
import type { Snapshot, SnapshotRow } from "../live/snapshot.ts";
// Builders of snapshots for tests.

/** The time of the snapshots. */
export const at: number = Date.UTC(2026, 0, 1, 12);

/** Returns the row of all requests with the given changes. */
export function totalRow(changes: Partial<SnapshotRow> = {}): SnapshotRow {
  return {
    method: "",
    name: "Aggregated",
    requests: 1_000,
    failures: 20,
    average: 51.239,
    median: 40,
    min: 3,
    max: 900,
    p95: 120,
    p99: 400,
    requestsPerSecond: 50.126,
    failuresPerSecond: 1,
    ...changes,
  };
}

/** Returns a snapshot of a run with the given changes. */
export function snapshotOf(changes: Partial<Snapshot> = {}): Snapshot {
  return {
    at,
    state: "running",
    userCount: 10,
    workerCount: 3,
    workers: { ready: 0, spawning: 0, running: 3, missing: 0, maxCpuPercent: 12 },
    currentRps: 49.999,
    totalRps: 50.126,
    currentFailuresPerSecond: 0.5,
    failRatio: 0.02,
    currentP50: 41,
    currentP95: 119,
    rows: [totalRow()],
    errors: [],
    ...changes,
  };
}

/** Returns the view of a master with the given changes. */
export function viewOf(changes: Partial<LiveView> = {}): LiveView {
  return {
    reason: "Streaming",
    message: "",
    snapshot: snapshotOf(),
    isFresh: true,
    isFinal: false,
    peakUsers: 10,
    workers: 3,
    startedAt: at - 60_000,
    ...changes,
  };
}
