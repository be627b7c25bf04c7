import { durationFromMs, formatDuration } from "@homeostat/core";

/** Returns a duration in whole seconds: `45s`, `3m20s`. */
export function formatMs(ms: number): string {
  return formatDuration(durationFromMs(Math.round(ms / 1_000) * 1_000));
}
