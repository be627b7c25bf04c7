import { isRecord, ownValue } from "@homeostat/core";
import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";

/** Where a list that is read in pages goes on. */
export interface ContinuePlace {
  /** The revision of the first page; -1 to go on with the newest state, whatever happened in between. */
  readonly revision: number;
  /** The first key of the next page. */
  readonly start: string;
}

const format = "meta.k8s.io/v1";
const invalid = "continue key is not valid";
/** Characters that Go's JSON writes in another way than JavaScript's. */
const escapedByGo = /[<>&\u2028\u2029]/g;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The token that leads to the next page, character for character as kube-apiserver writes it. */
export function encodeContinue({ revision, start }: ContinuePlace, prefix: string): string {
  // The real server cuts off the prefix without its slash.
  const json = JSON.stringify({ v: format, rv: revision, start: `/${start.slice(prefix.length)}` });
  return encodeBase64Url(encoder.encode(json.replace(escapedByGo, escapeUnit)));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The place that a token stands for; or what is wrong with it, in the words of kube-apiserver. */
export function decodeContinue(
  token: string,
  prefix: string,
): { readonly place: ContinuePlace } | { readonly problem: string } {
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
): { readonly place: ContinuePlace } | { readonly problem: string } {
  const version = ownValue(content, "v") ?? "";
  const revision = ownValue(content, "rv") ?? 0;
  const start = ownValue(content, "start") ?? "";
  if (typeof version !== "string" || typeof start !== "string" || !isWhole(revision))
    return { problem: `${invalid}: json: cannot unmarshal into Go value of type storage.continueToken` };
  if (version !== format) return { problem: `${invalid}: server does not recognize this encoded version ${version}` };
  if (revision === 0) return { problem: `${invalid}: incorrect encoded start resourceVersion (version ${format})` };
  if (start === "") return { problem: `${invalid}: encoded start key empty (version ${format})` };
  const path = start.startsWith("/") ? start.slice(1) : start;
  // A key with ".." in it would lead out of the prefix, to things the caller may not read.
  if (!isClean(path)) return { problem: `${invalid}: ${start}` };
  return { place: { revision, start: prefix + path } };
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value);
}

function isClean(path: string): boolean {
  return path === "" || path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** Where Go's parser stops at once; what it says of later places is not repeated here. */
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
