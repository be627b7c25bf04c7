import { CelFailure } from "../failure.ts";
import { defineOverload, type FunctionDeclaration, type Overload } from "../library.ts";
import { calendarTime, type CalendarTime } from "../time/calendar.ts";
import { zoneOffsetSeconds } from "../time/time-zone.ts";
import { durationType, intType, stringType, timestampType } from "../types/type.ts";

/** `getFullYear` … `getMilliseconds` of timestamps, in UTC or a zone, and of durations. */
export const timeFunctions = (): readonly FunctionDeclaration[] => [
  accessor("getFullYear", "year", (time) => time.year),
  accessor("getMonth", "month", (time) => time.month - 1),
  accessor("getDayOfYear", "day_of_year", (time) => time.yearDay - 1),
  accessor("getDayOfMonth", "day_of_month", (time) => time.day - 1),
  accessor("getDate", "day_of_month_1_based", (time) => time.day),
  accessor("getDayOfWeek", "day_of_week", (time) => time.weekday),
  accessor("getHours", "hours", (time) => time.hour, 3_600_000_000_000n),
  accessor("getMinutes", "minutes", (time) => time.minute, 60_000_000_000n),
  accessor("getSeconds", "seconds", (time) => time.second, 1_000_000_000n, "timestamp_to_seconds_tz"),
  accessor("getMilliseconds", "milliseconds", (time) => Math.floor(time.nanosecond / 1_000_000), 1_000_000n),
];

/** Returns the function that reads one part of a timestamp. With a unit, it also returns a duration in that unit. */
function accessor(
  name: string,
  part: string,
  read: (time: CalendarTime) => number,
  unitNanos?: bigint,
  zonedId = `timestamp_to_${part}_with_tz`,
): FunctionDeclaration {
  const overloads: Overload[] = [
    defineOverload({
      id: `timestamp_to_${part}`,
      member: true,
      params: [timestampType],
      result: intType,
      implement: ({ nanos }) => BigInt(read(calendarTime(nanos, 0))),
    }),
    defineOverload({
      id: zonedId,
      member: true,
      params: [timestampType, stringType],
      result: intType,
      implement: ({ nanos }, zone) => {
        const offset = zoneOffsetSeconds(zone, nanos);
        return offset instanceof CelFailure ? offset : BigInt(read(calendarTime(nanos, offset)));
      },
    }),
  ];
  if (unitNanos !== undefined) {
    overloads.push(
      defineOverload({
        id: `duration_to_${part}`,
        member: true,
        params: [durationType],
        result: intType,
        implement: ({ nanos }) => nanos / unitNanos,
      }),
    );
  }
  return { name, overloads };
}
