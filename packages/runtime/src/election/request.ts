import { type Clock, DeadlineError } from "@homeostat/core";

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
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  const timer = clock.schedule(timeoutMs, () => controller.abort(new DeadlineError(timeoutMs)));
  try {
    return await new Promise<T>((resolve, reject) => {
      controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true });
      send(controller.signal).then(resolve, reject);
    });
  } finally {
    timer[Symbol.dispose]();
    signal?.removeEventListener("abort", stop);
  }
}

/** Waits, until the time is up or one of the signals aborts. Never rejects. */
export async function pause(clock: Clock, ms: number, signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some(({ aborted }) => aborted)) return;
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      timer[Symbol.dispose]();
      for (const signal of signals) signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = clock.schedule(ms, wake);
    for (const signal of signals) signal.addEventListener("abort", wake, { once: true });
  });
}
