import { failure, type CelFailure } from "../failure.ts";

/** Returns the UTC offset of a zone such as `Europe/Berlin` or `+01:00` at a time, in seconds. */
export function zoneOffsetSeconds(zone: string, nanos: bigint): number | CelFailure {
  const colon = zone.indexOf(":");
  if (colon >= 0) return fixedOffsetSeconds(zone, colon);
  // An empty name and "Local" mean UTC: the API server usually runs in UTC, and the result must not depend on this machine.
  if (zone === "" || zone === "UTC" || zone === "Local") return 0;
  // Intl also accepts offsets such as "+0100", which are not zone names.
  if (/^[+-]/.test(zone)) return failure(`unknown time zone ${zone}`);
  return namedOffsetSeconds(zone, nanos);
}

function fixedOffsetSeconds(zone: string, colon: number): number | CelFailure {
  const hours = readInteger(zone.slice(0, colon));
  if (typeof hours !== "number") return hours;
  const minutes = readInteger(zone.slice(colon + 1));
  if (typeof minutes !== "number") return minutes;
  return (zone.startsWith("-") ? hours * 60 - minutes : hours * 60 + minutes) * 60;
}

function readInteger(text: string): number | CelFailure {
  if (!/^[+-]?\d+$/.test(text)) return failure(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  if (text.length > 6) return failure(`strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`);
  return Number(text);
}

const formats = new Map<string, Intl.DateTimeFormat>();
const formatsMax = 100;

function namedOffsetSeconds(zone: string, nanos: bigint): number | CelFailure {
  const format = formatFor(zone);
  if (format === undefined) return failure(`unknown time zone ${zone}`);
  const milliseconds = Number(nanos / 1_000_000n);
  const parts = new Map(format.formatToParts(milliseconds).map((part) => [part.type, Number(part.value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const midnight = new Date(0).setUTCFullYear(part("year"), part("month") - 1, part("day"));
  const shown = midnight / 1000 + part("hour") * 3600 + part("minute") * 60 + part("second");
  return shown - Math.floor(milliseconds / 1000);
}

function formatFor(zone: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      calendar: "gregory",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    if (formats.size < formatsMax) formats.set(zone, format);
    return format;
  } catch {
    return undefined;
  }
}
