import { isRecord, ownValue } from "@homeostat/core";
import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";

/** The position at which a paged list continues. */
export interface ContinuePosition {
  /**
   * Revision of the first page, which all pages show; -1 to continue in the newest state (an "inconsistent"
   * continuation, which kube-apiserver offers with the 410 when the revision of the first page is compacted).
   */
  readonly revision: number;
  /** First key of the next page. */
  readonly start: string;
}

const format = "meta.k8s.io/v1";
const invalid = "continue key is not valid";
/** Characters that Go's `encoding/json` escapes and `JSON.stringify` does not. */
const escapedByGo = /[<>&\u2028\u2029]/g;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the continue token of a position, byte for byte as kube-apiserver writes it. */
export function encodeContinue({ revision, start }: ContinuePosition, prefix: string): string {
  // kube-apiserver removes the prefix without its trailing slash, so the key in the token begins with a slash.
  const json = JSON.stringify({ v: format, rv: revision, start: `/${start.slice(prefix.length)}` });
  return encodeBase64Url(encoder.encode(json.replace(escapedByGo, escapeUnit)));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Decodes a continue token. Returns the problem in the wording of kube-apiserver if the token is invalid. */
export function decodeContinue(
  token: string,
  prefix: string,
): { readonly position: ContinuePosition } | { readonly problem: string } {
  const decoded = decodeBase64Url(token);
  if ("badIndex" in decoded) return { problem: `${invalid}: illegal base64 data at input byte ${decoded.badIndex}` };
  let content: unknown;
  try {
    content = JSON.parse(decoder.decode(decoded.bytes));
  } catch {
    return { problem: `${invalid}: ${jsonProblem(decoded.bytes)}` };
  }
  if (!isRecord(content))
    return { problem: `${invalid}: json: cannot unmarshal into Go value of type storage.continueToken` };
  return readContent(content, prefix);
}

function readContent(
  content: Readonly<Record<string, unknown>>,
  prefix: string,
): { readonly position: ContinuePosition } | { readonly problem: string } {
  const version = ownValue(content, "v") ?? "";
  const revision = ownValue(content, "rv") ?? 0;
  const start = ownValue(content, "start") ?? "";
  if (typeof version !== "string" || typeof start !== "string" || !isWhole(revision))
    return { problem: `${invalid}: json: cannot unmarshal into Go value of type storage.continueToken` };
  if (version !== format) return { problem: `${invalid}: server does not recognize this encoded version ${version}` };
  if (revision === 0) return { problem: `${invalid}: incorrect encoded start resourceVersion (version ${format})` };
  if (start === "") return { problem: `${invalid}: encoded start key empty (version ${format})` };
  const path = start.startsWith("/") ? start.slice(1) : start;
  // A key with ".." would leave the prefix and let the client read objects it is not authorized for.
  if (!isClean(path)) return { problem: `${invalid}: ${start}` };
  return { position: { revision, start: prefix + path } };
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value);
}

function isClean(path: string): boolean {
  return path === "" || path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/**
 * Returns Go's parse error for JSON that is invalid at its first byte.
 *
 * Errors at later positions depend on details of Go's parser and get a general text instead.
 */
function jsonProblem(bytes: Uint8Array): string {
  const [first] = bytes;
  if (first === undefined) return "unexpected end of JSON input";
  if (first === 0x7b) return "invalid JSON";
  return `invalid character ${quoted(first)} looking for beginning of value`;
}

function quoted(byte: number): string {
  if (byte === 0x27) return String.raw`'\''`;
  if (byte >= 0x20 && byte < 0x7f) return byte === 0x5c ? String.raw`'\\'` : `'${String.fromCharCode(byte)}'`;
  if (byte < 0x80) return `'\\x${byte.toString(16).padStart(2, "0")}'`;
  return byte < 0xa1 || byte === 0xad ? `'\\u00${byte.toString(16)}'` : `'${String.fromCharCode(byte)}'`;
}
