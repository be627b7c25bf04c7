import { tryParseDuration } from "@homeostat/core";

/**
 * Whether a text has the format `duration`: as Go writes durations (`1h30m`), or any text in which a whole number is
 * followed by a unit of time (`3 days`).
 */
export function isDuration(text: string): boolean {
  return usualDuration.test(text) || tryParseDuration(text) !== undefined || hasDuration(text);
}

/** The form nearly every duration has. */
const usualDuration = /^(?:[0-9]{1,6}(?:ms|s|m|h)){1,3}$/;

const exactUnits = new Set(["ns", "us", "\u00b5s", "ms", "s", "m", "h", "hr", "d", "w", "wk"]);
const unitBeginnings = /^(?:nano|micro|milli|sec|min|hour|day|week)/;

/** Whether some whole number in the text is followed by a unit. One that does not fit 64 bits spoils it all. */
function hasDuration(text: string): boolean {
  let found = false;
  for (const [, digits = "", rest = ""] of text.matchAll(/([0-9]+)([\t\n\f\r ]*[A-Za-z\u00b5]+|)/g)) {
    const unit = rest.trim().toLowerCase();
    if (unit === "") continue;
    const significant = digits.replace(/^0+/, "");
    if (significant.length > 19 || (significant.length === 19 && BigInt(significant) >= 2n ** 63n)) return false;
    if (exactUnits.has(unit) || unitBeginnings.test(unit)) found = true;
  }
  return found;
}
