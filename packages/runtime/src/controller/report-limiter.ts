import type { Clock } from "@homeostat/core";
import { LruMap } from "../events/lru-map.ts";

/** How often the same is worth an event, where nothing else is said. */
const defaultPauseMs = 600_000;

/** At most so many reports are remembered. */
const reportsMax = 10_000;

/**
 * Limits how often the same is reported as an event about an object. Every drift is counted and logged, but a client that fights over a
 * field would fill the event log.
 *
 * It lives in memory: after a restart something may be reported once more.
 */
export class ReportLimiter {
  readonly #clock: Clock;
  readonly #reportedAt = new LruMap<string, number>(reportsMax);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reports whether a subject is worth an event about an object now, and remembers that it was asked. */
  isDue(key: string, subject: string, pauseMs: number = defaultPauseMs): boolean {
    const id = `${key} ${subject}`;
    const now = this.#clock.monotonic();
    const last = this.#reportedAt.get(id);
    if (last !== undefined && now - last < pauseMs) return false;
    this.#reportedAt.set(id, now);
    return true;
  }
}
