import type { Snapshot } from "./live-stats.ts";
import { totalOf } from "./rows.ts";

/**
 * Whether a run has come to its end, by what its master says and by when users were first seen, if they were.
 *
 * Locust says `stopped` also as long as it has no workers: that is no end. Whoever has not seen the run knows it by its requests.
 */
export function isOver(snapshot: Snapshot, begunAt: number | undefined): boolean {
  return snapshot.state === "stopped" && (begunAt !== undefined || (totalOf(snapshot)?.requests ?? 0) > 0);
}
