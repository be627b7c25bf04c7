import { formatDecimal } from "../values/double-text.ts";
import { CelDuration } from "../values/duration.ts";
import { isInt64 } from "../values/int64.ts";

const unitNanos: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

/**
 * Reads a duration such as `1h30m`, `-1.5s` or `0`; `undefined` when the text is not one or is too long a time.
 *
 * The units are `h`, `m`, `s`, `ms`, `us` and `ns`; fractions finer than a nanosecond are cut off.
 */
export function parseDuration(text: string): CelDuration | undefined {
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return new CelDuration(0n);
  if (unsigned === "") return undefined;
  const parts = /(\d*)(?:\.(\d*))?([^\d.]+)/y;
  let total = 0n;
  while (parts.lastIndex < unsigned.length) {
    const match = parts.exec(unsigned);
    if (match === null) return undefined;
    const [, whole = "", fraction = "", unit = ""] = match;
    const nanos = unitNanos.get(unit);
    if (nanos === undefined || whole + fraction === "" || whole.length > 20) return undefined;
    total += BigInt(whole) * nanos + fractionNanos(fraction, nanos);
    if (total > 2n ** 63n) return undefined;
  }
  const signed = text.startsWith("-") ? -total : total;
  return isInt64(signed) ? new CelDuration(signed) : undefined;
}

/** The part of a unit that decimal digits name, cut to whole nanoseconds. */
function fractionNanos(digits: string, unit: bigint): bigint {
  const significant = digits.slice(0, 18);
  return significant === "" ? 0n : (BigInt(significant) * unit) / 10n ** BigInt(significant.length);
}

/** The duration in seconds, as `string(duration("90m"))` prints it: `5400s`. */
export function formatDuration(duration: CelDuration): string {
  return `${formatDecimal(durationSeconds(duration))}s`;
}

/** The length in seconds as a double. */
export function durationSeconds(duration: CelDuration): number {
  const whole = duration.nanos / 1_000_000_000n;
  return Number(whole) + Number(duration.nanos - whole * 1_000_000_000n) / 1e9;
}
