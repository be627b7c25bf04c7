import { CelTimestamp } from "../values/timestamp.ts";
import { calendarTime, daysInMonth, epochSeconds } from "./calendar.ts";

const pattern = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** Reads a time such as `2026-01-02T03:04:05.678Z` (RFC 3339); `undefined` when the text is not one. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || part(9) > 24 || part(10) > 60) return undefined;
  const offsetSeconds = (part(9) * 3600 + part(10) * 60) * (match[8] === "-" ? -1 : 1);
  const seconds = epochSeconds({ year, month, day, hour, minute, second }) - offsetSeconds;
  const fraction = (match[7] ?? "").slice(0, 9).padEnd(9, "0");
  return new CelTimestamp(BigInt(seconds) * 1_000_000_000n + BigInt(fraction), offsetSeconds);
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
