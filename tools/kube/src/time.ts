// The one place of this tool that reads the clock and waits: it starts real processes, which keep real time.

import { setTimeout as wait } from "node:timers/promises";

/** The time of day. */
export function now(): Date {
  return new Date(performance.timeOrigin + performance.now());
}

/** Milliseconds on a clock that only goes forward; its zero means nothing. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

/** Resolves after `ms`; rejects with an AbortError when `signal` is aborted first. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal === undefined ? {} : { signal });
}

/** Asks `check` every `everyMs` until it says yes (true) or `timeoutMs` have passed (false). */
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

/** A length of time for a person: `"8 s"`, `"3 min"`, `"2 h"`, `"4 d"`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
