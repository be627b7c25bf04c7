import { durationFromMs, formatDuration } from "@homeostat/core";

/** The pause before the next try: its length, and when it was last made longer. */
export interface Backoff {
  readonly ms: number;
  readonly at: number;
}

/** The first pause, and the longest. */
export const backoffMsMin = 10_000;
export const backoffMsMax = 300_000;

/** When nothing went wrong for this long, the next pause is the first one again. */
const forgottenAfterMs = 2 * backoffMsMax;

/** Until when to wait after something went wrong at `failedAt`; undefined when there is no need to. */
export function waitUntil(backoff: Backoff | undefined, failedAt: number, now: number): number | undefined {
  if (backoff === undefined || failedAt - backoff.at > forgottenAfterMs) return undefined;
  const until = failedAt + backoff.ms;
  return now < until ? until : undefined;
}

/** The pause after another try at `now`: twice as long as before, up to a limit. */
export function longer(backoff: Backoff | undefined, now: number): Backoff {
  if (backoff === undefined || now - backoff.at > forgottenAfterMs) return { ms: backoffMsMin, at: now };
  return { ms: Math.min(2 * backoff.ms, backoffMsMax), at: now };
}

/** A pause as the kubelet writes it: `1m20s`. */
export function pauseText({ ms }: Backoff): string {
  return formatDuration(durationFromMs(ms));
}
