import { type Clock, DeadlineError } from "@homeostat/core";

/** Limits of a {@link request}. */
export interface RequestBounds {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Aborts the request early. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request with a timeout. Rejects with a `DeadlineError` after the timeout, and with the reason of the signal when that aborts.
 *
 * Rejects on time even if the request ignores its signal. Its later result is dropped, but the server may have performed it.
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

/** Waits until the time is over or one of the signals aborts. Never rejects. */
export async function pause(clock: Clock, ms: number, signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some(({ aborted }) => aborted)) return;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      timer[Symbol.dispose]();
      for (const signal of signals) signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = clock.schedule(ms, finish);
    for (const signal of signals) signal.addEventListener("abort", finish, { once: true });
  });
}
