const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/**
 * Formats a duration like the ages of `kubectl get`, with two or three significant figures: `45s`, `2m3s`, `5h`, `3d`, `2y35d`.
 *
 * Clock skew can give small negative ages: up to two seconds are formatted as `0s`, more as `<invalid>`.
 */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (!(seconds >= -1)) return "<invalid>";
  if (seconds < 2 * minute) return `${Math.max(seconds, 0)}s`;
  if (seconds < 10 * minute) return both(seconds, [minute, "m"], [1, "s"]);
  if (seconds < 3 * hour) return one(seconds, minute, "m");
  if (seconds < 8 * hour) return both(seconds, [hour, "h"], [minute, "m"]);
  if (seconds < 2 * day) return one(seconds, hour, "h");
  if (seconds < 8 * day) return both(seconds, [day, "d"], [hour, "h"]);
  if (seconds < 2 * year) return one(seconds, day, "d");
  if (seconds < 8 * year) return both(seconds, [year, "y"], [day, "d"]);
  return one(seconds, year, "y");
}

/** Formats a duration with one unit, for narrow columns: `1m` for 119 seconds. Negative ages are formatted as by {@link humanDuration}. */
export function shortHumanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (!(seconds >= -1)) return "<invalid>";
  if (seconds < minute) return `${Math.max(seconds, 0)}s`;
  if (seconds < hour) return one(seconds, minute, "m");
  if (seconds < day) return one(seconds, hour, "h");
  return seconds < year ? one(seconds, day, "d") : one(seconds, year, "y");
}

type Unit = readonly [seconds: number, name: string];

function both(seconds: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((seconds % large) / small);
  return one(seconds, large, largeName) + (rest === 0 ? "" : `${rest}${smallName}`);
}

function one(seconds: number, unit: number, name: string): string {
  return `${Math.floor(seconds / unit)}${name}`;
}
