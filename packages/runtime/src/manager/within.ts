import type { Clock } from "@homeostat/core";

/** Waits for a promise, which must not reject, with a time limit. Resolves with true if it resolved in time. */
export async function within(clock: Clock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  using _ = clock.schedule(ms, () => late.abort());
  const inTime = promise.then(() => true);
  const tooLate = new Promise<boolean>((resolve) => {
    late.signal.addEventListener("abort", () => resolve(false), { once: true });
  });
  return await Promise.race([inTime, tooLate]);
}
