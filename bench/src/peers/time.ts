/** Returns the system's monotonic clock in nanoseconds, which runtimes also read. */
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

/** Polls until the check returns true. Throws an error that names `what` on timeout. */
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
