import { MalformedAnswerError, TooLongError } from "../errors.ts";
import { emptySpan, nestedEnd, type ObjectSpan, scanObject } from "./scan-object.ts";

/** What a list says beside its items. */
export interface ListHead {
  readonly resourceVersion: string;
  /** The token of the next page, or undefined on the last one. */
  readonly continue: string | undefined;
  readonly remainingItemCount: number | undefined;
}

/** Called for every item: the bytes it lies in and where. Both are valid only during the call. */
export type OnItem = (bytes: Buffer, span: ObjectSpan) => void;

type State =
  /** Between the fields of the list itself. */
  | "fields"
  /** Inside `items`. */
  | "items"
  /** Behind the list's closing brace. */
  | "done";

/** Pieces are a few kilobytes each, cut anywhere: gathered to so much, few items have to be looked at twice. */
const lookBytesMin = 64 * 1024;
const noBytes: Buffer = Buffer.alloc(0);

/** More than any object an API server stores. */
const itemBytesMax = 64 * 1024 * 1024;

/**
 * Takes the body of a list apart while it arrives: each item is handed on as bytes soon after it is whole, at the latest
 * when 64 KiB have come since.
 *
 * Works for either order of fields: typed lists say `metadata` first, lists of custom resources say it last. Needs room
 * for that much and a few items, however long the list, and time in proportion to its length.
 */
export class ListScanner {
  readonly #onItem: OnItem;
  readonly #bytesMax: number;
  readonly #span = emptySpan();
  /** What has come and is not used up yet: the first `#length` bytes. The rest is room for more. */
  #room: Buffer = noBytes;
  #length = 0;
  /** With less than this there is no point in a look. */
  #lookAt = lookBytesMin;
  #state: State = "fields";
  #metadata: unknown;
  #items = 0;

  constructor(onItem: OnItem, { bytesMax = itemBytesMax }: { readonly bytesMax?: number } = {}) {
    this.#onItem = onItem;
    this.#bytesMax = bytesMax;
  }

  /** How many items have been handed on. */
  get items(): number {
    return this.#items;
  }

  /**
   * Takes the next piece of the body, and copies it.
   *
   * Throws a {@link MalformedAnswerError} when it cannot be part of a list, and a {@link TooLongError} when an item is
   * longer than allowed.
   */
  push(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#room.length) this.#grow(length);
    this.#room.set(piece, this.#length);
    this.#length = length;
    if (length >= this.#lookAt) this.#look();
  }

  /** What the list said beside its items. Throws a {@link MalformedAnswerError} when the body ended too early. */
  finish(): ListHead {
    this.#look();
    if (this.#state !== "done") throw malformed(`the list ended after ${this.#items} items, before its closing brace`);
    if (this.#length > 0) throw malformed("something follows the list");
    const version = read(this.#metadata, "resourceVersion");
    const token = read(this.#metadata, "continue");
    const remaining = read(this.#metadata, "remainingItemCount");
    return {
      resourceVersion: typeof version === "string" ? version : "",
      continue: typeof token === "string" && token !== "" ? token : undefined,
      remainingItemCount: typeof remaining === "number" ? remaining : undefined,
    };
  }

  #look(): void {
    const bytes = this.#room.subarray(0, this.#length);
    let at = 0;
    for (;;) {
      const next = this.#state === "items" ? this.#item(bytes, at) : this.#field(bytes, at);
      if (next < 0) break;
      at = next;
    }
    if (at > 0) this.#room.copyWithin(0, at, this.#length);
    this.#length -= at;
    if (this.#length > this.#bytesMax) throw new TooLongError("an item of the list", this.#bytesMax);
    // A long item is looked at again only when twice as much of it is there: otherwise each piece would cost a look at
    // all that came before it.
    this.#lookAt = Math.max(lookBytesMin, this.#length * 2);
  }

  #grow(length: number): void {
    const room = Buffer.allocUnsafeSlow(Math.max(length, this.#room.length * 2));
    room.set(this.#room.subarray(0, this.#length));
    this.#room = room;
  }

  /** Handles the next item or the end of the items; returns where to go on, or -1 when more bytes are needed. */
  #item(bytes: Buffer, from: number): number {
    const at = skip(bytes, from, true);
    if (at >= bytes.length) return -1;
    if (bytes[at] === 0x5d) {
      this.#state = "fields";
      return at + 1;
    }
    if (bytes[at] !== 0x7b) throw malformed(`an item of the list begins with ${describe(bytes[at])}`);
    if (!scanObject(bytes, at, bytes.length, this.#span)) return -1;
    this.#items += 1;
    this.#onItem(bytes, this.#span);
    return this.#span.end;
  }

  /** Handles the next field of the list itself. */
  #field(bytes: Buffer, from: number): number {
    const at = skip(bytes, from, true);
    if (at >= bytes.length) return at > from ? at : -1;
    if (this.#state === "done") throw malformed("something follows the list");
    const byte = bytes[at];
    if (byte === 0x7b) return at + 1;
    if (byte === 0x7d) {
      this.#state = "done";
      return at + 1;
    }
    if (byte !== 0x22) throw malformed(`the list has ${describe(byte)} where a field should be`);
    const keyEnd = bytes.indexOf(0x22, at + 1);
    if (keyEnd < 0) return -1;
    const value = skip(bytes, keyEnd + 1, false);
    if (value >= bytes.length) return -1;
    const key = bytes.toString("latin1", at + 1, keyEnd);
    if (key === "items" && bytes[value] === 0x5b) {
      this.#state = "items";
      return value + 1;
    }
    const end = valueEnd(bytes, value);
    if (end < 0) return -1;
    if (key === "metadata") this.#metadata = parse(bytes.toString("utf8", value, end));
    return end;
  }
}

/** Where the value that begins at `at` ends, or -1 when the bytes end first. */
function valueEnd(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === 0x7b || byte === 0x5b) return nestedEnd(bytes, at, bytes.length);
  if (byte === 0x22) {
    for (let i = at + 1; i < bytes.length; i += 1) {
      if (bytes[i] === 0x5c) i += 1;
      else if (bytes[i] === 0x22) return i + 1;
    }
    return -1;
  }
  for (let i = at; i < bytes.length; i += 1) if (bytes[i] === 0x2c || bytes[i] === 0x7d) return i;
  return -1;
}

/** The next byte that is not white space, nor a colon, nor (between values) a comma. */
function skip(bytes: Buffer, from: number, isBetween: boolean): number {
  let at = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (
      byte !== 0x20 &&
      byte !== 0x0a &&
      byte !== 0x0d &&
      byte !== 0x09 &&
      byte !== 0x3a &&
      !(isBetween && byte === 0x2c)
    )
      break;
  }
  return at;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed("the list's metadata is not JSON", cause);
  }
}

function malformed(problem: string, cause?: unknown): MalformedAnswerError {
  return new MalformedAnswerError({ problem }, cause === undefined ? undefined : { cause });
}

function read(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function describe(byte: number | undefined): string {
  return byte === undefined ? "nothing" : JSON.stringify(String.fromCharCode(byte));
}
