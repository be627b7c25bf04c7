import type { LiveView } from "./live-view.ts";
import type { Snapshot, SnapshotRow } from "./snapshot.ts";
// Snapshots as tests need them.

/** When the snapshots of tests are taken. */
export const at: number = Date.UTC(2026, 0, 1, 12);

/** The row of all requests, with what a test changes. */
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

/** A snapshot of a run, with what a test changes. */
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

/** What is known of a master, with what a test changes. */
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
