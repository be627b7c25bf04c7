// Maintenance windows. A window opens at a local time of day in its own time zone, and stays open for a duration of elapsed time. When a clock
// change skips the local time, the window opens at the end of the gap; when a clock change repeats it, at its first occurrence.

import { type Weekday, weekdays } from "../api/spec-scaling.ts";

/** A maintenance window as in the spec. */
export interface MaintenanceWindow {
  readonly days: readonly Weekday[];
  /** `HH:MM`. */
  readonly start: string;
  readonly durationMinutes: number;
  /** IANA name. Default UTC. */
  readonly timeZone?: string | undefined;
}

export type WindowState =
  | { readonly isOpen: true }
  /** `opensAt` is undefined if no window opens within a week, which is the case for unknown time zones only. */
  | { readonly isOpen: false; readonly opensAt: number | undefined };

const dayMs = 86_400_000;

/** Returns whether any window is open, and when the next one opens. Without windows, maintenance is always allowed. */
export function windowState(windows: readonly MaintenanceWindow[] | undefined, now: number): WindowState {
  if (windows === undefined || windows.length === 0) return { isOpen: true };
  let opensAt: number | undefined;
  for (const window of windows) {
    for (const start of startsAround(window, now)) {
      if (start <= now && now < start + window.durationMinutes * 60_000) return { isOpen: true };
      if (start > now && (opensAt === undefined || start < opensAt)) opensAt = start;
    }
  }
  return { isOpen: false, opensAt };
}

/** Returns the openings of a window from two days ago to eight days ahead. */
function startsAround({ days, start, timeZone = "UTC" }: MaintenanceWindow, now: number): readonly number[] {
  const zone = zoneOf(timeZone);
  const [hours = Number.NaN, minutes = Number.NaN] = start.split(":").map(Number);
  if (zone === undefined || Number.isNaN(hours) || Number.isNaN(minutes)) return [];
  const today = Math.floor((now + zone.offsetAt(now)) / dayMs);
  const starts: number[] = [];
  for (let day = today - 2; day <= today + 8; day += 1) {
    // Day 0, 1970-01-01, was a Thursday.
    const weekday = weekdays[(((day + 3) % 7) + 7) % 7];
    if (weekday === undefined || !days.includes(weekday)) continue;
    starts.push(zone.instantOf(day * dayMs + (hours * 60 + minutes) * 60_000));
  }
  return starts;
}

interface Zone {
  /** Returns local time minus UTC in milliseconds at an instant. */
  offsetAt(instant: number): number;
  /** Returns the first instant with a local time, or the end of the gap that skips it. */
  instantOf(local: number): number;
}

/** Returns a time zone; undefined if the name is unknown to this machine. */
function zoneOf(timeZone: string): Zone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const offsetAt = (instant: number): number => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
    return local - Math.floor(instant / 1_000) * 1_000;
  };
  const instantOf = (local: number): number => {
    // Clock changes are less than a day apart from `local` at both guesses, so one of the two offsets applies.
    const before = offsetAt(local - dayMs);
    const after = offsetAt(local + dayMs);
    const matches = [local - before, local - after].filter((instant) => instant + offsetAt(instant) === local);
    if (matches.length > 0) return Math.min(...matches);
    return endOfGap(local - Math.max(before, after), local - Math.min(before, after), offsetAt);
  };
  return { offsetAt, instantOf };
}

/** Returns the instant between two instants at which the offset changes, to the second. */
function endOfGap(from: number, to: number, offsetAt: (instant: number) => number): number {
  const offset = offsetAt(from);
  let [low, high] = [from, to];
  while (high - low > 1_000) {
    const middle = low + Math.floor((high - low) / 2_000) * 1_000;
    if (offsetAt(middle) === offset) low = middle;
    else high = middle;
  }
  return high;
}
