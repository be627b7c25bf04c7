import type { Clock } from "@homeostat/core";
import { LruMap } from "../events/lru-map.ts";

/** Default minimum interval between equal reports about an object, in milliseconds. */
const defaultPauseMs = 600_000;

/** Maximum number of reports that are remembered. */
const reportsMax = 10_000;

/**
 * Limits how often the same report becomes an event about an object. Every drift is counted and logged, but another client that fights over
 * a field would flood the namespace with events.
 *
 * The state is in memory only: a report may be repeated after a restart.
 */
export class ReportLimiter {
  readonly #clock: Clock;
  readonly #reportedAt = new LruMap<string, number>(reportsMax);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns true if no equal report was due within the interval, and remembers this one. */
  isDue(key: string, subject: string, pauseMs: number = defaultPauseMs): boolean {
    const id = `${key} ${subject}`;
    const now = this.#clock.monotonic();
    const last = this.#reportedAt.get(id);
    if (last !== undefined && now - last < pauseMs) return false;
    this.#reportedAt.set(id, now);
    return true;
  }
}
