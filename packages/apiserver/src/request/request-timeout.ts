import { durationToMs, tryParseDuration } from "@homeostat/core";
import { quote } from "@homeostat/cel";
import type { Query } from "./query.ts";
import { badRequest } from "./option-problem.ts";

/** Returns the time limit of a request in milliseconds: the requested one (`?timeout=10s`), but at most `maxMs`. */
export function requestTimeoutMs(query: Query, maxMs: number): number {
  const text = query.first("timeout") ?? "";
  if (text === "") return maxMs;
  const requested = tryParseDuration(text);
  if (requested === undefined)
    throw badRequest(`invalid timeout specified in the request URL - ${durationError(text)}`);
  const requestedMs = durationToMs(requested);
  return requestedMs > 0 && requestedMs < maxMs ? requestedMs : maxMs;
}

/** Returns Go's error message for an invalid duration. */
function durationError(text: string): string {
  const number = String.raw`(?:\d+(?:\.\d*)?|\.\d+)`;
  const unit = "(?:ns|us|µs|μs|ms|s|m|h)";
  const quoted = quote(text);
  const parsed = new RegExp(`^[+-]?(?:${number}${unit})*`).exec(text)?.[0] ?? "";
  const rest = text.slice(parsed.length);
  const lone = new RegExp(`^(${number})([^.\\d]*)`).exec(rest);
  if (lone === null || rest === "") return `time: invalid duration ${quoted}`;
  const [, , unknown = ""] = lone;
  return unknown === ""
    ? `time: missing unit in duration ${quoted}`
    : `time: unknown unit ${quote(unknown)} in duration ${quoted}`;
}
