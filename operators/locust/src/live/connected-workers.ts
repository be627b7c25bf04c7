import type { LiveView } from "./live-stats.ts";
import { isOver } from "./is-over.ts";

/**
 * How many workers a run has by its master, or had when it ended: workers leave then, and are no fewer for that. Undefined when the
 * master has not told.
 *
 * Whoever began to look after the end knows how many there were only from what was written down before.
 */
export function connectedWorkers(view: LiveView | undefined, stored: number | undefined): number | undefined {
  if (view?.snapshot === undefined || view.workers === undefined) return undefined;
  return isOver(view.snapshot, view.begunAt) ? Math.max(view.workers, stored ?? 0) : view.workers;
}

/** How many workers are missing; undefined when nobody knows. */
export function missingWorkers(connected: number | undefined, expected: number): number | undefined {
  return connected === undefined ? undefined : Math.max(0, expected - connected);
}
