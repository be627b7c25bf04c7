import type { Clock } from "@homeostat/core";

/** Options of a {@link LogLimiter}. */
export interface LogLimiterOptions {
  readonly clock: Clock;
  /** The maximum number of lines per topic and interval. Default 10. */
  readonly linesMax?: number | undefined;
  /** The interval, in milliseconds. Default 60,000. */
  readonly intervalMs?: number | undefined;
}

interface Topic {
  startedMs: number;
  lines: number;
  suppressed: number;
}

/**
 * A rate limit for log lines that clients can cause. Without it a flood of bad requests fills the disk.
 *
 * The first line of the next interval has the number of suppressed lines. Topics must come from a fixed set, because each one
 * is kept in memory.
 */
export class LogLimiter {
  readonly #clock: Clock;
  readonly #linesMax: number;
  readonly #intervalMs: number;
  readonly #topics = new Map<string, Topic>();

  constructor({ clock, linesMax = 10, intervalMs = 60_000 }: LogLimiterOptions) {
    this.#clock = clock;
    this.#linesMax = linesMax;
    this.#intervalMs = intervalMs;
  }

  /** Calls `write` with the fields to add to the line, unless the limit of the topic is reached. */
  run(topic: string, write: (fields: { readonly suppressed?: number }) => void): void {
    const nowMs = this.#clock.monotonic();
    const state = this.#topics.get(topic) ?? { startedMs: nowMs, lines: 0, suppressed: 0 };
    this.#topics.set(topic, state);
    if (nowMs - state.startedMs >= this.#intervalMs) {
      state.startedMs = nowMs;
      state.lines = 0;
    }
    if (state.lines >= this.#linesMax) {
      state.suppressed += 1;
      return;
    }
    state.lines += 1;
    const { suppressed } = state;
    state.suppressed = 0;
    write(suppressed > 0 ? { suppressed } : {});
  }
}
