/**
 * Formats a double as `string(1.5)` does: with the fewest digits that parse to the same value.
 *
 * From 1e6 on and below 1e-4 it has an exponent of at least two digits: `1e+06`.
 */
export function formatDouble(value: number): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  const { sign, digits, exponent } = shortest(value);
  if (exponent >= -4 && exponent < 6) return formatDecimal(value);
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
  const power = String(Math.abs(exponent)).padStart(2, "0");
  return `${sign}${digits.charAt(0)}${fraction}e${exponent < 0 ? "-" : "+"}${power}`;
}

/** Formats a double with the fewest digits that parse to the same value, without an exponent. */
export function formatDecimal(value: number): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  const { sign, digits, exponent } = shortest(value);
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const fraction = digits.slice(exponent + 1);
  return fraction === "" ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

function formatSpecial(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  if (value === Infinity) return "+Inf";
  if (value === -Infinity) return "-Inf";
  return value === 0 ? (Object.is(value, -0) ? "-0" : "0") : undefined;
}

/** Returns sign, significant digits and decimal exponent: 0.015 is 15 and -2. */
function shortest(value: number): { sign: string; digits: string; exponent: number } {
  const [mantissa = "", exponent = "0"] = Math.abs(value).toExponential().split("e");
  return { sign: value < 0 ? "-" : "", digits: mantissa.replace(".", ""), exponent: Number(exponent) };
}

/**
 * Parses a double as `double("1.5")` does. Returns undefined if the string is not a double.
 *
 * Accepts decimals, `Inf`, `Infinity` and `NaN` in any case, hexadecimal floats, and underscores between digits.
 */
export function parseDouble(written: string): number | undefined {
  const text = written.replace(/(?<=[0-9a-f]|^[+-]?0x)_(?=[0-9a-f])/gi, "");
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (special !== null) {
    if (/nan/i.test(text)) return special[1] === "" ? Number.NaN : undefined;
    return special[1] === "-" ? -Infinity : Infinity;
  }
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  return parseHexDouble(text);
}

function parseHexDouble(text: string): number | undefined {
  const match = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)p([+-]?\d+)$/i.exec(text);
  const [, sign = "", whole = "", fraction = "", power = ""] = match ?? [];
  // With more digits the value could be rounded twice, so such strings are rejected.
  if (match === null || whole + fraction === "" || whole.length + fraction.length > 13) return undefined;
  if (text.includes(".") !== (fraction !== "" || /\.p/i.test(text))) return undefined;
  const value = Number(`0x${whole}${fraction}`) * 2 ** (Number(power) - 4 * fraction.length);
  if (!Number.isFinite(value)) return undefined;
  return sign === "-" ? -value : value;
}
