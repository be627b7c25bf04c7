/**
 * A number in the text format, spelled as Go spells it: `0.005`, `1e-08`, `1.5e+06`, `+Inf`, `NaN`.
 *
 * The spelling matters where a number is part of a label: a query for `le="1e-08"` must find our bucket as it finds
 * that of a program written in Go.
 */
export function formatFloat(value: number): string {
  if (value === 0) return "0";
  if (value === Infinity) return "+Inf";
  if (value === -Infinity) return "-Inf";
  const size = Math.abs(value);
  // NaN fails both comparisons, and String says "NaN".
  if (!(size >= 1e6) && !(size < 1e-4)) return String(value);
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const [sign = "+", ...rest] = exponent;
  return `${digits}e${sign}${rest.join("").padStart(2, "0")}`;
}
