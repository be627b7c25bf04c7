import { hash as hashOf } from "node:crypto";
import { isList, isRecord } from "@homeostat/core";

/** Depth from which the order of keys matters: equal values may then have different digests, but different values never equal ones. */
const depthMax = 200;

/**
 * Returns a digest of a JSON value that does not depend on the order of keys. It is a cryptographic hash, so it may be kept for secret values.
 */
export function digestOf(value: unknown): string {
  return hash(canonical(value, 0));
}

/**
 * Returns a fast, non-cryptographic digest of the new values of some fields (two 32-bit hashes, 53 bits in total).
 *
 * It is too short to reveal values. A collision only affects whether a repeated write is detected.
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

/** Two digests of one value. */
export interface Fingerprint {
  /** Digest of its JSON text, with the keys in their current order. Fast to compute. */
  readonly text: string;
  /** Digest that does not depend on the order of keys. */
  readonly meaning: string;
}

/** Returns the fingerprint of a value. */
export function fingerprintOf(value: unknown): Fingerprint {
  return { text: textDigest(value), meaning: digestOf(value) };
}

/** Reports whether a value has a fingerprint. */
export function matches({ text, meaning }: Fingerprint, value: unknown): boolean {
  // The order of keys is nearly always the same, and sorting them takes ten times as long as everything else.
  return text === textDigest(value) || meaning === digestOf(value);
}

function textDigest(value: unknown): string {
  return hash(JSON.stringify(value) ?? "null");
}

function hash(text: string): string {
  return hashOf("sha256", text, "base64").slice(0, 27);
}

/** Returns JSON text with sorted keys. Undefined fields are omitted, as in JSON. */
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
