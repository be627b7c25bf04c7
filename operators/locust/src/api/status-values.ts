import { durationFromMs, durationToMs, formatDuration, tryParseDuration } from "@homeostat/core";

/** Maximum difference between two processes' estimates of the API server's time. */
const clockErrorMs = 5_000;

/** Reports whether a recorded time is later than `now` by more than the error of clocks: then the clock was set back since. */
export function isFuture(recorded: number, now: number): boolean {
  return recorded - now > clockErrorMs;
}

/** Formats a duration as `2m30s`, `45s` or `1h`, in whole seconds rounded down. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return formatDuration(durationFromMs(whole * 1_000)).replaceAll(/(?<=[hm])0[ms]/g, "");
}

/** Parses the output of {@link formatSeconds}; undefined for anything else. */
export function parseSeconds(text: string): number | undefined {
  const duration = /^[\dhms]+$/.test(text) ? tryParseDuration(text) : undefined;
  return duration === undefined ? undefined : durationToMs(duration) / 1_000;
}

/** Rounds to two decimals. */
export function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value * 100) / 100;
}
