/** The machine's monotonic clock in nanoseconds, which contestants read as well. */
export function now(): number {
  return Number(process.hrtime.bigint());
}

/** Waits. Rejects when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Asks again and again until the answer is true; throws with the given words when it takes too long. */
export async function until(
  check: () => boolean | Promise<boolean>,
  { everyMs, timeoutMs, signal, what }: { everyMs: number; timeoutMs: number; signal: AbortSignal; what: string },
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`${what} took longer than ${timeoutMs / 1000} s`);
    await pause(everyMs, signal);
  }
}
