import { checkedMs } from "./range.ts";
import { formatSeconds, readInstant } from "./rfc3339.ts";

/**
 * Parses a Kubernetes MicroTime (`renewTime` of a Lease), in microseconds since the epoch: `2026-01-02T03:04:05.000006Z`.
 *
 * The fraction must have exactly six digits. Throws `ParseError`.
 */
export function parseMicroTime(text: string): bigint {
  const { seconds, nanoseconds } = readInstant(text, "microsecond time", "six digits");
  return BigInt(seconds) * 1_000_000n + BigInt(nanoseconds / 1000);
}

/** Formats microseconds since the epoch as a Kubernetes MicroTime: in UTC with six digits. */
export function formatMicroTime(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = Number((micros - fraction) / 1_000_000n);
  checkedMs(seconds * 1000);
  return `${formatSeconds(seconds)}.${String(fraction).padStart(6, "0")}Z`;
}

/** Converts milliseconds of a clock to microseconds, rounded down. */
export function microsFromMs(ms: number): bigint {
  const whole = Math.floor(checkedMs(ms));
  return BigInt(whole) * 1000n + BigInt(Math.floor((ms - whole) * 1000));
}

/** Converts microseconds to milliseconds, with a fraction. */
export function microsToMs(micros: bigint): number {
  return Number(micros / 1000n) + Number(micros % 1000n) / 1000;
}
