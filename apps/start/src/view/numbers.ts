/** A number for people: with commas between thousands, and only so many digits after the point as say something. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size > 0 && size < 0.1) return String(Number(value.toPrecision(2)));
  return value.toLocaleString("en-US", { maximumFractionDigits: size < 100 ? 1 : 0 });
}

/** How much time has passed, in a column: `   1.2 s`. */
export function elapsed(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(6)} s`;
}
