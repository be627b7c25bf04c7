// Routing keys by trace ID, for services whose tracer forwards `traceparent` but not the key.

import type { Clock } from "@homeostat/core";

export interface TraceKeysOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Traces that are remembered. Default 100,000; the oldest make room. */
  readonly tracesMax?: number | undefined;
  /** Time after the last request of a trace for which it is remembered. Default 60 s. */
  readonly keepMs?: number | undefined;
  /** Called for each restored key. */
  readonly onRestored?: (() => void) | undefined;
}

/** Key of a trace; undefined if its requests do not agree on one. */
interface TraceKey {
  key: string | undefined;
  at: number;
}

/**
 * Remembers which key the requests of a trace had.
 *
 * A key is restored only if every earlier request of the trace had the same one: if a trace mixes keys, or had none before, the key of a request
 * without one is not known, and a wrong key would route it to an unrelated sandbox.
 */
export class TraceKeys {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #tracesMax: number;
  readonly #keepMs: number;
  readonly #onRestored: () => void;
  /** In the order of the last requests. */
  readonly #traces = new Map<string, TraceKey>();

  constructor({ clock, tracesMax = 100_000, keepMs = 60_000, onRestored = () => undefined }: TraceKeysOptions) {
    this.#clock = clock;
    this.#tracesMax = tracesMax;
    this.#keepMs = keepMs;
    this.#onRestored = onRestored;
  }

  /** Number of traces that are remembered. */
  get size(): number {
    return this.#traces.size;
  }

  /** Notes a request that had a key, or had none and gets none. */
  see(traceId: string, key: string | undefined): void {
    const before = this.#current(traceId);
    this.#store(traceId, before !== undefined && before.key !== key ? undefined : key);
  }

  /** Returns the key of a request that has none, or undefined. The request counts as one with that key. */
  restore(traceId: string): string | undefined {
    const key = this.#current(traceId)?.key;
    if (key !== undefined) this.#onRestored();
    this.#store(traceId, key);
    return key;
  }

  #current(traceId: string): TraceKey | undefined {
    const trace = this.#traces.get(traceId);
    return trace !== undefined && this.#clock.monotonic() - trace.at < this.#keepMs ? trace : undefined;
  }

  #store(traceId: string, key: string | undefined): void {
    const at = this.#clock.monotonic();
    this.#traces.delete(traceId);
    this.#traces.set(traceId, { key, at });
    for (const [oldest, trace] of this.#traces) {
      if (this.#traces.size <= this.#tracesMax && at - trace.at < this.#keepMs) return;
      this.#traces.delete(oldest);
    }
  }
}
