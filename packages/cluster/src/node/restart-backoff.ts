import { durationFromMs, formatDuration } from "@homeostat/core";

/** A back-off: its length, and when it was last increased. */
export interface Backoff {
  readonly ms: number;
  readonly at: number;
}

/** First and longest back-off (`initialCrashLoopBackOff` and `MaxCrashLoopBackOff` in kubelet.go). */
export const backoffMsMin = 10_000;
export const backoffMsMax = 300_000;

/**
 * The back-off is reset after this long without a failure: twice the maximum, as in client-go's
 * `flowcontrol.Backoff`.
 */
const resetAfterMs = 2 * backoffMsMax;

/** Returns the end of the back-off after a failure at `failedAt`; undefined when there is none or it has passed. */
export function backoffEnd(backoff: Backoff | undefined, failedAt: number, now: number): number | undefined {
  if (backoff === undefined || failedAt - backoff.at > resetAfterMs) return undefined;
  const until = failedAt + backoff.ms;
  return now < until ? until : undefined;
}

/** Returns the back-off after another attempt at `now`: doubled up to the maximum. */
export function nextBackoff(backoff: Backoff | undefined, now: number): Backoff {
  if (backoff === undefined || now - backoff.at > resetAfterMs) return { ms: backoffMsMin, at: now };
  return { ms: Math.min(2 * backoff.ms, backoffMsMax), at: now };
}

/** Formats a back-off as the kubelet does: `1m20s`. */
export function formatBackoff({ ms }: Backoff): string {
  return formatDuration(durationFromMs(ms));
}
