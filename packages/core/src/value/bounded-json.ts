// Limits on JSON from untrusted peers, checked before JSON.parse allocates anything.
//
// JSON.parse blocks the event loop for as long as it runs, and its cost does not follow the size of the text: 4 MiB of `[[[[`
// take over a second and hundreds of megabytes, and a million `{}` take many times their text in memory. One scan over the bytes
// counts what parsing would create and stops at the first limit.

import { JsonLimitError, type JsonLimit } from "../errors/json-limit-error.ts";
import { ParseError } from "../errors/parse-error.ts";

/** Limits of a JSON document. */
export interface JsonLimits {
  /** Size of the document in bytes of UTF-8. */
  readonly bytesMax: number;
  /** Nesting of arrays and objects; `[]` has depth 1. */
  readonly depthMax: number;
  /** Values of the whole document: elements of arrays, fields of objects, and the document itself. */
  readonly valuesMax: number;
  /** Fields of all objects together. Default `valuesMax`. */
  readonly keysMax?: number | undefined;
}

/** Options of {@link parseBoundedJson} and {@link checkJsonLimits}. */
export interface BoundedJsonOptions extends JsonLimits {
  /** The document as a user knows it, for error messages: `"response of /stats/requests"`. */
  readonly what: string;
}

/**
 * Parses JSON from an untrusted peer, within limits.
 *
 * Throws a {@link JsonLimitError} when the document exceeds a limit, and a {@link ParseError} when it is not JSON in UTF-8. Neither
 * error keeps more than the beginning of the document.
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
 * Throws a {@link JsonLimitError} when a document exceeds a limit. Use it before a JSON parser other than `JSON.parse`.
 *
 * Takes one pass of about a millisecond per MiB. A document that is not JSON may pass; the parser rejects it.
 */
export function checkJsonLimits(input: string | Uint8Array, { what, ...limits }: BoundedJsonOptions): void {
  const limit = exceededLimit(input, limits);
  if (limit === undefined) return;
  const { bytesMax, depthMax, valuesMax, keysMax = valuesMax } = limits;
  const max = { bytes: bytesMax, depth: depthMax, values: valuesMax, keys: keysMax }[limit];
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
 */
function exceededLimit(input: string | Uint8Array, limits: JsonLimits): JsonLimit | undefined {
  const { bytesMax, depthMax, valuesMax, keysMax = valuesMax } = limits;
  // A string has at most as many UTF-16 code units as bytes, so a huge one is never encoded.
  if (input.length > bytesMax) return "bytes";
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  if (bytes.length > bytesMax) return "bytes";
  let depth = 0;
  let values = 1;
  let keys = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at + 1);
    else if (byte === comma) values += 1;
    else if (byte === colon) keys += 1;
    else if (byte === openBracket || byte === openBrace) {
      values += 1;
      depth += 1;
      if (depth > depthMax) return "depth";
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    if (values > valuesMax) return "values";
    if (keys > keysMax) return "keys";
  }
  return undefined;
}

/** Returns the index of the closing quote, or the end of the input when there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
