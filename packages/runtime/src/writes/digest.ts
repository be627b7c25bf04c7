import { hash as hashOf } from "node:crypto";
import { isList, isRecord } from "@homeostat/core";

/** Nested deeper than this, the order of keys counts: two equal values may then have different digests, never the reverse. */
const depthMax = 200;

/**
 * A short text that is the same for values that say the same, whatever the order of their keys, and another for any other.
 *
 * What it was made from cannot be read from it: it is safe to keep for a secret.
 */
export function digestOf(value: unknown): string {
  return hash(canonical(value, 0));
}

/**
 * The same for telling changes of a few fields apart, for a fraction of the work.
 *
 * Short, so that nothing can be read from it; and no more depends on it than whether a repetition is noticed.
 */
export function roughDigestOf(fields: readonly { readonly path: string; readonly after: unknown }[]): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (const { path, after } of fields) {
    const text = `${path}=${canonical(after, 0)}\n`;
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i);
      high = Math.imul(high ^ unit, 2654435761);
      low = Math.imul(low ^ unit, 1597334677);
    }
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}

/** Two digests of one value: of its text as it comes, which is quick, and of what it says. */
export interface Fingerprint {
  readonly text: string;
  readonly meaning: string;
}

/** Makes the fingerprint of a value, by which it is known again. */
export function fingerprintOf(value: unknown): Fingerprint {
  return { text: textDigest(value), meaning: digestOf(value) };
}

/** Whether a value is the one that a fingerprint was made of. */
export function matches({ text, meaning }: Fingerprint, value: unknown): boolean {
  // The order of keys is nearly always the same, and sorting them takes ten times as long as all the rest.
  return text === textDigest(value) || meaning === digestOf(value);
}

function textDigest(value: unknown): string {
  return hash(JSON.stringify(value) ?? "null");
}

function hash(text: string): string {
  return hashOf("sha256", text, "base64").slice(0, 27);
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
