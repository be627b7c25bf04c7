// Limits on JSON from untrusted peers, checked before JSON.parse allocates anything.
//
// JSON.parse blocks the event loop while it runs, and its cost is not proportional to the size of the text: 4 MiB of `[[[[` take
// over a second and hundreds of megabytes, and a million `{}` take many times their size in memory. One scan over the bytes counts
// the values that parsing would create, and stops at the first limit.

import { JsonLimitError, type JsonLimit } from "../errors/json-limit-error.ts";
import { ParseError } from "../errors/parse-error.ts";

/** Limits of a JSON document. */
export interface JsonLimits {
  /** The maximum size of the document in bytes of UTF-8. */
  readonly bytesMax: number;
  /** The maximum nesting of arrays and objects; `[]` has depth 1. */
  readonly depthMax: number;
  /** The maximum number of values in the document: elements of arrays, fields of objects, and the document itself. */
  readonly valuesMax: number;
  /** The maximum number of fields of all objects. Default `valuesMax`. */
  readonly keysMax?: number | undefined;
  /**
   * The maximum number of distinct field names in the document. Default: no limit.
   *
   * Parsing is several times slower if every object has different fields than if all have the same. Set it if the document has a known
   * form.
   */
  readonly distinctKeysMax?: number | undefined;
}

/** Options of {@link parseBoundedJson} and {@link checkJsonLimits}. */
export interface BoundedJsonOptions extends JsonLimits {
  /** The document, as users know it, for error messages: `"response of /stats/requests"`. */
  readonly what: string;
}

/**
 * Parses JSON from an untrusted peer, within limits.
 *
 * Throws a {@link JsonLimitError} if the document exceeds a limit, and a {@link ParseError} if it is not JSON in UTF-8. The errors
 * contain only the beginning of the document.
 *
 * @example
 * parseBoundedJson(body, { what: "response of the webhook", bytesMax: 1_048_576, depthMax: 100, valuesMax: 100_000 });
 */
export function parseBoundedJson(input: string | Uint8Array, options: BoundedJsonOptions): unknown {
  checkJsonLimits(input, options);
  try {
    return JSON.parse(typeof input === "string" ? input : new TextDecoder("utf-8", { fatal: true }).decode(input));
  } catch (cause) {
    const shown =
      typeof input === "string" ? input.slice(0, shownMax) : new TextDecoder().decode(input.subarray(0, shownMax));
    throw new ParseError({ what: options.what, input: shown, offset: 0, problem: "expected JSON" }, { cause });
  }
}

/**
 * Throws a {@link JsonLimitError} if a document exceeds a limit. Use it before a JSON parser other than `JSON.parse`.
 *
 * Takes one pass of about a millisecond per MiB. A document that is not JSON may pass; the parser rejects it.
 */
export function checkJsonLimits(input: string | Uint8Array, { what, ...limits }: BoundedJsonOptions): void {
  const limit = exceededLimit(input, limits);
  if (limit === undefined) return;
  const { bytesMax, depthMax, valuesMax, keysMax = valuesMax, distinctKeysMax = Infinity } = limits;
  const max = { bytes: bytesMax, depth: depthMax, values: valuesMax, keys: keysMax, distinctKeys: distinctKeysMax }[
    limit
  ];
  throw new JsonLimitError({ what, limit, max });
}

const shownMax = 200;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Returns the first limit that a document exceeds.
 *
 * Only punctuation outside of strings is counted. Every value but the first of an array or object follows a comma, and the
 * first one follows an opening bracket, so commas and brackets bound the number of values from above: an empty array or object
 * counts as two. Every key is followed by a colon.
 *
 * Distinct keys are counted by hash, so a few may count as one. A peer gains nothing by hash collisions.
 */
function exceededLimit(input: string | Uint8Array, limits: JsonLimits): JsonLimit | undefined {
  const { bytesMax, depthMax, valuesMax, keysMax = valuesMax, distinctKeysMax = Infinity } = limits;
  // A string has at most as many UTF-16 code units as bytes, so a huge one is never encoded.
  if (input.length > bytesMax) return "bytes";
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  if (bytes.length > bytesMax) return "bytes";
  let depth = 0;
  let values = 1;
  let keys = 0;
  let [stringStart, stringEnd] = [0, 0];
  const distinctKeys = new Set<number>();
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      stringStart = at + 1;
      at = stringEnd = endOfString(bytes, at + 1);
    } else if (byte === comma) values += 1;
    else if (byte === colon) {
      keys += 1;
      if (
        distinctKeysMax < Infinity &&
        distinctKeys.add(hashOf(bytes, stringStart, stringEnd)).size > distinctKeysMax
      ) {
        return "distinctKeys";
      }
    } else if (byte === openBracket || byte === openBrace) {
      values += 1;
      depth += 1;
      if (depth > depthMax) return "depth";
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    if (values > valuesMax) return "values";
    if (keys > keysMax) return "keys";
  }
  return undefined;
}

/** Returns a 32-bit FNV-1a hash of some bytes. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash;
}

/** Returns the index of the closing quote, or the end of the input if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
