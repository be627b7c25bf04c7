import { tryParseDuration } from "@homeostat/core";
import { formatDecimal } from "../values/double-text.ts";
import { CelDuration } from "../values/duration.ts";

/** Reads a duration such as `1h30m`, `-1.5s` or `0`; `undefined` when the text is not one or is too long a time. */
export function parseDuration(text: string): CelDuration | undefined {
  const nanos = tryParseDuration(text);
  return nanos === undefined ? undefined : new CelDuration(nanos);
}

/** The duration in seconds, as `string(duration("90m"))` prints it: `5400s`. */
export function formatDuration(duration: CelDuration): string {
  return `${formatDecimal(durationSeconds(duration))}s`;
}

/** The length in seconds as a double. */
export function durationSeconds(duration: CelDuration): number {
  const whole = duration.nanos / 1_000_000_000n;
  return Number(whole) + Number(duration.nanos - whole * 1_000_000_000n) / 1e9;
}
