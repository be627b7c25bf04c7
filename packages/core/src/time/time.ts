import { ParseError } from "../errors/parse-error.ts";
import { formatSeconds, parseInstant } from "./rfc3339.ts";
import { checkedMs } from "./range.ts";

/**
 * Parses a Kubernetes time (such as `creationTimestamp`), in milliseconds since the epoch: `2026-01-02T03:04:05Z`.
 *
 * Accepts offsets and fractions like the API server; the result is rounded down to milliseconds. Throws `ParseError`.
 */
export function parseTime(text: string): number {
  const { seconds, nanoseconds } = parseInstant(text);
  return seconds * 1000 + Math.floor(nanoseconds / 1e6);
}

/** Parses a time like {@link parseTime}, but returns undefined if it is absent or invalid. */
export function tryParseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/** Formats milliseconds since the epoch as a Kubernetes time: in UTC, rounded down to seconds. */
export function formatTime(ms: number): string {
  return `${formatSeconds(Math.floor(checkedMs(ms) / 1000))}Z`;
}
