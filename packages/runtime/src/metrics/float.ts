/**
 * Formats a number for the text format as Go does: `0.005`, `1e-08`, `1.5e+06`, `+Inf`, `NaN`.
 *
 * The exact form matters where a number is part of a label: a query for `le="1e-08"` must find our buckets as it finds
 * those of a Go program.
 */
export function formatFloat(value: number): string {
  if (value === 0) return "0";
  if (value === Infinity) return "+Inf";
  if (value === -Infinity) return "-Inf";
  const size = Math.abs(value);
  // NaN fails both comparisons; String(NaN) is "NaN".
  if (!(size >= 1e6) && !(size < 1e-4)) return String(value);
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const [sign = "+", ...rest] = exponent;
  return `${digits}e${sign}${rest.join("").padStart(2, "0")}`;
}
