import type { Clock } from "@homeostat/core";

/** Waits for a promise that never rejects, for so long at most. Resolves with whether it was there in time. */
export async function within(clock: Clock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  using _ = clock.schedule(ms, () => late.abort());
  const inTime = promise.then(() => true);
  const tooLate = new Promise<boolean>((resolve) => {
    late.signal.addEventListener("abort", () => resolve(false), { once: true });
  });
  return await Promise.race([inTime, tooLate]);
}
