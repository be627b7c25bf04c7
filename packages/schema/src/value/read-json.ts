import { isRecord, safeSet } from "@homeostat/core";
import { valueDepthMax, type Json } from "./json.ts";

const partsMax = 1_000_000;

/** Returns a copy of a value if it is JSON and within the limits; otherwise the problem. */
export function readJson(value: unknown): { readonly json: Json } | { readonly problem: string } {
  let parts = 0;
  let problem: string | undefined;
  const copy = (part: unknown, depth: number): Json => {
    parts += 1;
    if (parts > partsMax) problem ??= `must not have more than ${partsMax} values`;
    if (depth > valueDepthMax) problem ??= `must not be nested deeper than ${valueDepthMax} levels`;
    if (problem !== undefined) return null;
    if (part === null || typeof part === "string" || typeof part === "boolean") return part;
    if (typeof part === "number" && Number.isFinite(part)) return part;
    if (Array.isArray(part)) return part.map((element) => copy(element, depth + 1));
    if (isRecord(part)) {
      const result: { [key: string]: Json } = {};
      for (const key of Object.keys(part)) safeSet(result, key, copy(part[key], depth + 1));
      return result;
    }
    problem = "must be a JSON value";
    return null;
  };
  const json = copy(value, 0);
  return problem === undefined ? { json } : { problem };
}
