import { createHash } from "node:crypto";
import { isList, isRecord } from "@homeostat/core";

/** Nested deeper than this, the order of keys counts: two equal values may then have different digests, never the reverse. */
const depthMax = 200;

/**
 * A short text that is the same for values that say the same, whatever the order of their keys, and another for any other.
 *
 * What it was made from cannot be read from it: it is safe to keep for a secret.
 */
export function digestOf(value: unknown): string {
  return createHash("sha256").update(canonical(value, 0)).digest("base64url").slice(0, 27);
}

/** JSON with its keys in order. What is `undefined` is left out, as in JSON. */
function canonical(value: unknown, depth: number): string {
  if (depth === depthMax) return JSON.stringify(value) ?? "null";
  if (isList(value)) return `[${value.map((element) => canonical(element, depth + 1)).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const parts = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key], depth + 1)}`);
  return `{${parts.join(",")}}`;
}
