import { tryParseDuration } from "@homeostat/core";
import { formatDecimal } from "./double-text.ts";
import { CelDuration } from "./duration.ts";

/** Parses a duration such as `1h30m`, `-1.5s` or `0`. Returns undefined if it is malformed or out of range. */
export function parseDuration(text: string): CelDuration | undefined {
  const nanos = tryParseDuration(text);
  return nanos === undefined ? undefined : new CelDuration(nanos);
}

/** Formats a duration in seconds, as `string(duration("90m"))` does: `5400s`. */
export function formatDuration(duration: CelDuration): string {
  return `${formatDecimal(durationSeconds(duration))}s`;
}

/** Returns the duration in seconds as a double. */
export function durationSeconds(duration: CelDuration): number {
  const whole = duration.nanos / 1_000_000_000n;
  return Number(whole) + Number(duration.nanos - whole * 1_000_000_000n) / 1e9;
}
