import { quote } from "@homeostat/cel";
import type { Query } from "./query.ts";
import { badRequest } from "./option-problem.ts";

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/**
 * Parses a boolean as kube-apiserver does: everything but `0` and `false` is true, also an empty value. Undefined if
 * absent.
 */
export function readBoolean(query: Query, name: string): boolean | undefined {
  const text = query.first(name);
  return text === undefined ? undefined : text !== "0" && text.toLowerCase() !== "false";
}

/** Parses a 64-bit integer. Undefined if absent. Throws a `StatusError` with Go's message. */
export function readInteger(query: Query, name: string): number | undefined {
  const text = query.first(name);
  if (text === undefined) return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw notParsed(text, "invalid syntax");
  // Check the number of digits first: a number with a million digits is refused without parsing it.
  const digits = text.replace(/^[+-]?0*/, "");
  const value = digits.length > 19 ? undefined : BigInt(digits === "" ? 0 : digits) * (text.startsWith("-") ? -1n : 1n);
  if (value === undefined || value > int64Max || value < int64Min) throw notParsed(text, "value out of range");
  return Number(value);
}

function notParsed(text: string, why: string): Error {
  return badRequest(`strconv.ParseInt: parsing ${quote(text)}: ${why}`);
}
