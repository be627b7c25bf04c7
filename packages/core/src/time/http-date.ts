const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The three forms of RFC 9110, section 5.6.7. The last two are obsolete, but a recipient must accept them. */
const forms: readonly RegExp[] = [
  /^\w{3}, (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) GMT$/,
  /^\w{6,9}, (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) GMT$/,
  /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) (?<year>\d{4})$/,
];

/**
 * Parses a date of an HTTP header, such as `Date` or `Retry-After`. Returns milliseconds since the epoch; undefined for any other text.
 *
 * `now` is the approximate time in milliseconds since the epoch. It completes the two-digit year of an obsolete form.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const month = months.indexOf(parts["month"] ?? "");
    const [day = 0, hour = 0, minute = 0, second = 0] = ["day", "hour", "minute", "second"].map((key) =>
      Number(parts[key]),
    );
    const year = fullYear(parts["year"] ?? "", now);
    if (month < 0 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return undefined;
    return Date.UTC(year, month, day, hour, minute, second);
  }
  return undefined;
}

/** Formats a time for an HTTP header: `Mon, 16 Nov 2026 11:00:00 GMT`. Fractions of a second are cut off. */
export function formatHttpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

/** Two digits mean a year of this century, or of the last one if that would be more than 50 years ahead. */
function fullYear(text: string, now: number): number {
  if (text.length > 2) return Number(text);
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(text);
  return year > thisYear + 50 ? year - 100 : year;
}
