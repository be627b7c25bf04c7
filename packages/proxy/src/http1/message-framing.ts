import type { HeaderFields } from "./header-fields.ts";

/** Ways to find the end of a body. */
export const framing = { none: 0, length: 1, chunked: 2, untilClose: 3 } as const;

/** A value of {@link framing}. */
export type Framing = (typeof framing)[keyof typeof framing];

/** Framing of a message as its header fields state it. */
export interface StatedFraming {
  isChunked: boolean;
  /** -1 if there is no `content-length`. */
  contentLength: number;
}

/**
 * Reads the framing of a message into `into`. Returns false if it is ambiguous: two recipients that read it differently disagree on
 * where the next message begins, which lets a client smuggle a request.
 *
 * Refused are `content-length` together with `transfer-encoding`, both of them if they are repeated, lengths that are not plain
 * decimal numbers, and every transfer coding but `chunked` alone.
 */
export function readFraming(fields: HeaderFields, into: StatedFraming): boolean {
  into.isChunked = false;
  into.contentLength = -1;
  const length = fields.find("content-length");
  const coding = fields.find("transfer-encoding");
  if (length !== -1) {
    if (coding !== -1 || fields.find("content-length", length + 1) !== -1) return false;
    const count = plainNumber(fields.value(length));
    if (count === -1) return false;
    into.contentLength = count;
  } else if (coding !== -1) {
    if (fields.find("transfer-encoding", coding + 1) !== -1) return false;
    if (fields.value(coding).toLowerCase() !== "chunked") return false;
    into.isChunked = true;
  }
  return true;
}

/** Returns the value of a decimal number of at most 15 digits, or -1. Leading zeros are refused: some recipients take them for octal numbers. */
function plainNumber(text: string): number {
  const { length } = text;
  if (length === 0 || length > 15 || (length > 1 && text.charCodeAt(0) === 0x30)) return -1;
  let value = 0;
  for (let at = 0; at < length; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Reports whether a comma-separated list has an item, in any case. `item` is in lower case. */
export function listHas(list: string | readonly string[] | undefined, item: string): boolean {
  if (list === undefined) return false;
  const text = typeof list === "string" ? list : list.join(",");
  if (text.length < item.length) return false;
  const lower = text.toLowerCase();
  if (lower === item) return true;
  return lower.includes(item) && lower.split(",").some((each) => each.trim() === item);
}
