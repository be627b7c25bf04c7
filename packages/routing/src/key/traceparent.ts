import type { HeaderSource } from "../request/request-view.ts";

/** Length of `00-<32 digits>-<16 digits>-<2 digits>`, the form of version 00. */
const length = 55;
const dash = 0x2d;

/**
 * Returns the trace ID of the header `traceparent`, undefined without the header, or null if it is malformed.
 *
 * Accepts later versions with additional fields, as https://www.w3.org/TR/trace-context/#versioning-of-traceparent requires. A repeated header
 * is malformed.
 */
export function readTraceId(headers: HeaderSource): string | undefined | null {
  const value = headers.get("traceparent");
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !isTraceparent(value)) return null;
  return value.slice(3, 35);
}

/** Fields of the header `traceparent`. */
export interface Traceparent {
  readonly traceId: string;
  /** ID of the span of the sender. */
  readonly parentId: string;
  /** True if the sender records the trace. */
  readonly isSampled: boolean;
}

/** Returns the fields of the header `traceparent`, or undefined if it is absent or malformed. */
export function readTraceparent(headers: HeaderSource): Traceparent | undefined {
  const value = headers.get("traceparent");
  if (typeof value !== "string" || !isTraceparent(value)) return undefined;
  const flags = Number.parseInt(value.slice(53, length), 16);
  return { traceId: value.slice(3, 35), parentId: value.slice(36, 52), isSampled: (flags & 1) === 1 };
}

function isTraceparent(value: string): boolean {
  if (value.length < length || [2, 35, 52].some((at) => value.charCodeAt(at) !== dash)) return false;
  if (!isHex(value, 0, 2) || value.startsWith("ff")) return false;
  if (!isId(value, 3, 35) || !isId(value, 36, 52) || !isHex(value, 53, length)) return false;
  return value.length === length || (!value.startsWith("00") && value.charCodeAt(length) === dash);
}

/** Reports whether a part of a text is a hexadecimal number in lower case other than zero. */
function isId(text: string, start: number, end: number): boolean {
  if (!isHex(text, start, end)) return false;
  for (let at = start; at < end; at += 1) if (text.charCodeAt(at) !== 0x30) return true;
  return false;
}

function isHex(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (!((code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66))) return false;
  }
  return true;
}
