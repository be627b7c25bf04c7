/** Formats a number with thousands separators and, by its size, two significant digits, one decimal or none. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size > 0 && size < 0.1) return String(Number(value.toPrecision(2)));
  return value.toLocaleString("en-US", { maximumFractionDigits: size < 100 ? 1 : 0 });
}

/** Formats a duration in seconds, right-aligned: `   1.2 s`. */
export function elapsed(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(6)} s`;
}
