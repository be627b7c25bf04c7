import type { Clock } from "@homeostat/core";

/** What bounds a {@link request}. */
export interface RequestBounds {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The outcome of a request that gets a signal, or a rejection when its time is up or it is told to stop.
 *
 * Even of a request that does not heed its signal: what becomes of that is nobody's concern any more, but it may have
 * changed something.
 */
export async function request<T>(
  { clock, timeoutMs, signal }: RequestBounds,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  using timeout = clock.timeout(timeoutMs);
  const either = new AbortController();
  const ends = signal === undefined ? [timeout.signal] : [timeout.signal, signal];
  const listeners = ends.map((end) => ({ end, stop: (): void => either.abort(end.reason) }));
  for (const { end, stop } of listeners) end.addEventListener("abort", stop, { once: true });
  try {
    return await new Promise<T>((resolve, reject) => {
      either.signal.addEventListener("abort", () => reject(either.signal.reason), { once: true });
      send(either.signal).then(resolve, reject);
    });
  } finally {
    for (const { end, stop } of listeners) end.removeEventListener("abort", stop);
  }
}

/** Waits, until the time is up or one of the signals aborts. Never rejects. */
export async function pause(clock: Clock, ms: number, signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some(({ aborted }) => aborted)) return;
  const wake = new AbortController();
  const stop = (): void => wake.abort();
  for (const signal of signals) signal.addEventListener("abort", stop, { once: true });
  try {
    await clock.sleep(ms, wake.signal);
  } catch (error) {
    if (!wake.signal.aborted) throw error;
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", stop);
  }
}
