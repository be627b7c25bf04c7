/** Local date and time in the Gregorian calendar. */
export interface CalendarTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** 1 is the first of January. */
  readonly yearDay: number;
}

const nanosPerSecond = 1_000_000_000n;

/** Returns the local date and time at a UTC offset, of a time in nanoseconds since the epoch. */
export function calendarTime(nanos: bigint, offsetSeconds: number): CalendarTime {
  const local = nanos + BigInt(offsetSeconds) * nanosPerSecond;
  const nanosecond = Number(((local % nanosPerSecond) + nanosPerSecond) % nanosPerSecond);
  // Date covers ±271,821 years, far more than a timestamp.
  const date = new Date(Number((local - BigInt(nanosecond)) / 1_000_000n));
  const year = date.getUTCFullYear();
  return {
    year,
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    nanosecond,
    weekday: date.getUTCDay(),
    yearDay: Math.floor((date.getTime() - startOfYear(year)) / 86_400_000) + 1,
  };
}

function startOfYear(year: number): number {
  // Date.UTC interprets years 0 to 99 as 1900 to 1999.
  return new Date(0).setUTCFullYear(year, 0, 1);
}
