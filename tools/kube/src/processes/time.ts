// The only file of this tool that reads the clock and waits: it starts real processes, which run in real time.

import { setTimeout as wait } from "node:timers/promises";

/** Returns the time of day. */
export function now(): Date {
  return new Date(performance.timeOrigin + performance.now());
}

/** Returns milliseconds of a monotonic clock. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

/** Resolves after `ms`; rejects with an AbortError when `signal` is aborted first. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal === undefined ? {} : { signal });
}

/** Calls `check` every `everyMs` until it returns true, or returns false after `timeoutMs`. */
export async function poll(
  check: () => boolean | Promise<boolean>,
  options: { everyMs: number; timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const end = monotonicMs() + options.timeoutMs;
  for (;;) {
    options.signal?.throwIfAborted();
    if (await check()) return true;
    if (monotonicMs() >= end) return false;
    await sleep(options.everyMs, options.signal);
  }
}

/** Calls `tell` every `everyMs` until the returned function is called. Does not keep the process alive. */
export function repeat(everyMs: number, tell: () => void): () => void {
  const timer = setInterval(tell, everyMs).unref();
  return () => {
    clearInterval(timer);
  };
}

/** Formats a duration for people: `"8 s"`, `"3 min"`, `"2 h"`, `"4 d"`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
