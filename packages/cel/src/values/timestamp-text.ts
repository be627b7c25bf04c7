import { ParseError, parseInstant } from "@homeostat/core";
import { CelTimestamp } from "./timestamp.ts";
import { calendarTime } from "../time/calendar.ts";

/** Parses an RFC 3339 time such as `2026-01-02T03:04:05.678Z`. Returns undefined if it is malformed. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  try {
    const { seconds, nanoseconds, offsetSeconds } = parseInstant(text);
    return new CelTimestamp(BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds), offsetSeconds);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/** Formats a timestamp in RFC 3339 with its original offset and as many fractional digits as needed. */
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
