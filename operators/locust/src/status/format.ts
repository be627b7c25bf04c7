import { ParseError, parseTime } from "@homeostat/core";

/** Parses a time of a status; undefined when it is absent or invalid. */
export function parseOptionalTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/** Formats a duration as `2m30s`, `45s` or `1h`, in whole seconds rounded down. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = whole % 60;
  const parts = [hours > 0 ? `${hours}h` : "", minutes > 0 ? `${minutes}m` : "", rest > 0 ? `${rest}s` : ""];
  return parts.join("") || "0s";
}

/** Parses the output of {@link formatSeconds}; undefined for anything else. */
export function parseSeconds(text: string): number | undefined {
  const [whole, hours, minutes, seconds] = /^(?:(\d{1,9})h)?(?:(\d{1,2})m)?(?:(\d{1,2})s)?$/.exec(text) ?? [];
  if (whole === undefined || whole === "") return undefined;
  return Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}

/** Rounds to two decimals. */
export function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value * 100) / 100;
}

/** Returns the numbers without those that are undefined. */
export function defined<K extends string>(values: Readonly<Record<K, number | undefined>>): Partial<Record<K, number>> {
  const result: Partial<Record<K, number>> = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) result[key] = value;
  }
  return result;
}
