import { checkedMs } from "./range.ts";
import { formatSeconds, readInstant } from "./rfc3339.ts";

/**
 * Reads a Kubernetes MicroTime (`renewTime` of a Lease), in microseconds since 1970: `2026-01-02T03:04:05.000006Z`.
 *
 * The fraction has exactly six digits, neither more nor fewer. Throws `ParseError`.
 */
export function parseMicroTime(text: string): bigint {
  const { seconds, nanoseconds } = readInstant(text, "microsecond time", "six digits");
  return BigInt(seconds) * 1_000_000n + BigInt(nanoseconds / 1000);
}

/** Prints microseconds since 1970 as a Kubernetes MicroTime: UTC, always six digits. */
export function formatMicroTime(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = Number((micros - fraction) / 1_000_000n);
  checkedMs(seconds * 1000);
  return `${formatSeconds(seconds)}.${String(fraction).padStart(6, "0")}Z`;
}

/** Milliseconds, as a clock gives them, in microseconds; parts finer than that are cut off. */
export function microsFromMs(ms: number): bigint {
  const whole = Math.floor(checkedMs(ms));
  return BigInt(whole) * 1000n + BigInt(Math.floor((ms - whole) * 1000));
}

/** Microseconds in milliseconds, to compare with a clock; parts finer than a millisecond become a fraction. */
export function microsToMs(micros: bigint): number {
  return Number(micros / 1000n) + Number(micros % 1000n) / 1000;
}
