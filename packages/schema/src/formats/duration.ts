import { tryParseDuration } from "@homeostat/core";

/**
 * Reports whether a string has the format `duration`: a Go duration (`1h30m`), or any string in which an integer is followed by a
 * unit of time (`3 days`).
 */
export function isDuration(text: string): boolean {
  return usualDuration.test(text) || tryParseDuration(text) !== undefined || hasDuration(text);
}

/** Fast path for the usual form. */
const usualDuration = /^(?:[0-9]{1,6}(?:ms|s|m|h)){1,3}$/;

const exactUnits = new Set(["ns", "us", "\u00b5s", "ms", "s", "m", "h", "hr", "d", "w", "wk"]);
const unitBeginnings = /^(?:nano|micro|milli|sec|min|hour|day|week)/;

/** Reports whether an integer in the string is followed by a unit. Returns false if any such integer overflows 64 bits. */
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
