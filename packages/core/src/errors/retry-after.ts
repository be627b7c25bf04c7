/** Nobody is made to wait longer than this, whatever a server says: a day. */
const retryAfterMsMax = 24 * 60 * 60 * 1000;

/** Headers of an answer by name, as Node gives them. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * How long a server asks to wait, in milliseconds: its `Retry-After` header, as seconds or as a date.
 *
 * A date needs `now`, the time of day in milliseconds. Nonsense is `undefined`; more than a day is a day.
 */
export function readRetryAfter(headers: AnswerHeaders | undefined, now?: number): number | undefined {
  const text = headerText(headers)?.trim() ?? "";
  if (/^\d+$/.test(text)) return clampDelay(Number(text) * 1000);
  if (now === undefined) return undefined;
  const date = parseHttpDate(text, now);
  return date === undefined ? undefined : clampDelay(Math.max(0, date - now));
}

/** A delay a server asks for, kept to what is sensible. */
export function clampDelay(ms: number): number {
  return Math.min(ms, retryAfterMsMax);
}

function headerText(headers: AnswerHeaders | undefined): string | undefined {
  const name = Object.keys(headers ?? {}).find((key) => key.toLowerCase() === "retry-after");
  const value = name === undefined ? undefined : headers?.[name];
  return typeof value === "string" ? value : value?.[0];
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The three forms of RFC 9110, section 5.6.7; the last two are old, but a recipient has to know them. */
const forms: readonly RegExp[] = [
  /^\w{3}, (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) GMT$/,
  /^\w{6,9}, (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) GMT$/,
  /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) (?<year>\d{4})$/,
];

function parseHttpDate(text: string, now: number): number | undefined {
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

/** Two digits mean the year of this century, or of the last when that would be more than 50 years ahead. */
function fullYear(text: string, now: number): number {
  if (text.length > 2) return Number(text);
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(text);
  return year > thisYear + 50 ? year - 100 : year;
}
