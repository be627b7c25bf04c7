import { ParseError, parseInstant } from "@homeostat/core";
import { CelTimestamp } from "../values/timestamp.ts";
import { calendarTime } from "./calendar.ts";

/** Reads a time such as `2026-01-02T03:04:05.678Z` (RFC 3339); `undefined` when the text is not one. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  try {
    const { seconds, nanoseconds, offsetSeconds } = parseInstant(text);
    return new CelTimestamp(BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds), offsetSeconds);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/** The time in RFC 3339 with the offset it came with: seconds, and as many further digits as it needs. */
export function formatTimestamp(timestamp: CelTimestamp): string {
  const time = calendarTime(timestamp.nanos, timestamp.offsetSeconds);
  const date = `${pad(time.year, 4)}-${pad(time.month)}-${pad(time.day)}`;
  const clock = `${pad(time.hour)}:${pad(time.minute)}:${pad(time.second)}`;
  const fraction = time.nanosecond === 0 ? "" : `.${pad(time.nanosecond, 9).replace(/0+$/, "")}`;
  return `${date}T${clock}${fraction}${formatOffset(timestamp.offsetSeconds)}`;
}

function formatOffset(seconds: number): string {
  if (seconds === 0) return "Z";
  const minutes = Math.abs(Math.trunc(seconds / 60));
  return `${seconds < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, "0");
}
