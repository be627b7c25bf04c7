import { durationToMs, tryParseDuration } from "@homeostat/core";
import { quote } from "@homeostat/cel";
import type { Query } from "./query.ts";
import { badRequest } from "./option-problem.ts";

/** How long a request may take in milliseconds: what it asks for (`?timeout=10s`), but no longer than `maxMs`. */
export function requestTimeoutMs(query: Query, maxMs: number): number {
  const text = query.first("timeout") ?? "";
  if (text === "") return maxMs;
  const asked = tryParseDuration(text);
  if (asked === undefined) throw badRequest(`invalid timeout specified in the request URL - ${durationWords(text)}`);
  const askedMs = durationToMs(asked);
  return askedMs > 0 && askedMs < maxMs ? askedMs : maxMs;
}

/** Why a text is no duration, in the words of Go. */
function durationWords(text: string): string {
  const number = String.raw`(?:\d+(?:\.\d*)?|\.\d+)`;
  const unit = "(?:ns|us|µs|μs|ms|s|m|h)";
  const quoted = quote(text);
  const read = new RegExp(`^[+-]?(?:${number}${unit})*`).exec(text)?.[0] ?? "";
  const rest = text.slice(read.length);
  const lone = new RegExp(`^(${number})([^.\\d]*)`).exec(rest);
  if (lone === null || rest === "") return `time: invalid duration ${quoted}`;
  const [, , unknown = ""] = lone;
  return unknown === ""
    ? `time: missing unit in duration ${quoted}`
    : `time: unknown unit ${quote(unknown)} in duration ${quoted}`;
}
