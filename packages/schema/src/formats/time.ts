/** Whether a text has the format `date`: a day of the Gregorian calendar, as `2024-02-29`. */
export function isDate(text: string): boolean {
  const [, year = "", month = "", day = ""] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text) ?? [];
  return day > "00" && Number(day) <= daysIn(Number(year), Number(month));
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month] ?? 0;
}

const time = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/u;

/** The form nearly every time has, which needs no taking apart. */
const usual = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/;

/**
 * Whether a text has the format `date-time`: a date, a time and a zone.
 *
 * Looser than RFC 3339, as the API server is: case does not matter, any character may come before the fraction, the
 * offset is not looked into, and what follows a second `t` is ignored.
 */
export function isDateTime(text: string): boolean {
  if (usual.test(text)) return isDate(text.slice(0, 10));
  const [date = "", clock] = text.toLowerCase().split("t", 2);
  if (clock === undefined || !isDate(date)) return false;
  const [, hours = "99", minutes = "99", seconds = "99"] = time.exec(clock) ?? [];
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}

/**
 * Whether a text has the format `duration`: as Go writes durations (`1h30m`), or any text in which a whole number is
 * followed by a unit of time (`3 days`).
 */
export function isDuration(text: string): boolean {
  return usualDuration.test(text) || isGoDuration(text) || hasDuration(text);
}

/** The form nearly every duration has. */
const usualDuration = /^(?:[0-9]{1,6}(?:ms|s|m|h)){1,3}$/;

const unitNanos: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["\u00b5s", 1_000n],
  ["\u03bcs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);
const nanosMax = 2n ** 63n - 1n;
const termMax = 100_000;

function isGoDuration(text: string): boolean {
  const body = text.replace(/^[+-]/, "");
  if (body === "0") return true;
  if (body === "" || body.length > termMax) return false;
  let total = 0n;
  let end = 0;
  for (const [term, whole = "", fraction = "", unit = ""] of body.matchAll(/([0-9]*)(\.[0-9]*)?([^0-9.]+)/gy)) {
    const nanos = unitNanos.get(unit);
    // More digits than an int64 has, leading zeros aside, do not fit whatever the unit.
    const digits = whole.replace(/^0+/, "");
    if (nanos === undefined || (whole === "" && fraction.length < 2) || digits.length > 19) return false;
    const part = fraction.slice(1, 19);
    total += BigInt(digits || "0") * nanos;
    if (part !== "") total += (BigInt(part) * nanos) / 10n ** BigInt(part.length);
    if (total > nanosMax + (text.startsWith("-") ? 1n : 0n)) return false;
    end += term.length;
  }
  return end === body.length;
}

const exactUnits = new Set(["ns", "us", "\u00b5s", "ms", "s", "m", "h", "hr", "d", "w", "wk"]);
const unitBeginnings = /^(?:nano|micro|milli|sec|min|hour|day|week)/;

/** Whether some whole number in the text is followed by a unit. One that does not fit 64 bits spoils it all. */
function hasDuration(text: string): boolean {
  let found = false;
  for (const [, digits = "", rest = ""] of text.matchAll(/([0-9]+)([\t\n\f\r ]*[A-Za-z\u00b5]+|)/g)) {
    const unit = rest.trim().toLowerCase();
    if (unit === "") continue;
    const significant = digits.replace(/^0+/, "");
    if (significant.length > 19 || (significant.length === 19 && BigInt(significant) > nanosMax)) return false;
    if (exactUnits.has(unit) || unitBeginnings.test(unit)) found = true;
  }
  return found;
}
