import { ParseError } from "../errors/parse-error.ts";
import { formatSeconds, parseInstant } from "./rfc3339.ts";
import { checkedMs } from "./range.ts";

/**
 * Reads a Kubernetes time (`creationTimestamp` and its like), in milliseconds since 1970: `2026-01-02T03:04:05Z`.
 *
 * Offsets and fractions are accepted as by the API server; what is finer than a millisecond is cut off. Throws `ParseError`.
 */
export function parseTime(text: string): number {
  const { seconds, nanoseconds } = parseInstant(text);
  return seconds * 1000 + Math.floor(nanoseconds / 1e6);
}

/** Parses a time of a status like {@link parseTime}; undefined when it is absent or invalid. */
export function tryParseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/** Prints milliseconds since 1970 as a Kubernetes time: UTC, whole seconds, the rest cut off. */
export function formatTime(ms: number): string {
  return `${formatSeconds(Math.floor(checkedMs(ms) / 1000))}Z`;
}
