import { MalformedResponseError, TooLongError } from "../errors.ts";
import { emptySpan, nestedEnd, type ObjectSpan, scanObject } from "./scan-object.ts";

/** The metadata of a list. */
export interface ListHead {
  readonly resourceVersion: string;
  /** The token of the next page; undefined on the last page. */
  readonly continue: string | undefined;
  readonly remainingItemCount: number | undefined;
}

/** Called for every item with the bytes that contain it and its position. Both are valid only during the call. */
export type OnItem = (bytes: Buffer, span: ObjectSpan) => void;

type State =
  /** Between the fields of the list. */
  | "fields"
  /** Inside `items`. */
  | "items"
  /** After the closing brace of the list. */
  | "done";

/** Pieces are a few kilobytes each and end anywhere. Collecting this much before a scan means that few items are scanned twice. */
const scanBytesMin = 64 * 1024;
const noBytes: Buffer = Buffer.alloc(0);

/** More than any object that an API server stores. */
const itemBytesMax = 64 * 1024 * 1024;

/**
 * Splits the body of a list into items while it arrives. Each item is emitted as bytes when it is complete, at the latest after
 * 64 KiB more have arrived.
 *
 * Works for both orders of fields: lists of built-in kinds have `metadata` first, lists of custom resources have it last. Memory
 * is bounded by 64 KiB and a few items, however long the list is; time is linear in its length.
 */
export class ListScanner {
  readonly #onItem: OnItem;
  readonly #bytesMax: number;
  readonly #span = emptySpan();
  /** The buffer. Its first `#length` bytes have arrived and are not consumed yet; the rest is free. */
  #buffer: Buffer = noBytes;
  #length = 0;
  /** The number of bytes at which the next scan takes place. */
  #scanAt = scanBytesMin;
  #state: State = "fields";
  #metadata: unknown;
  #items = 0;

  constructor(onItem: OnItem, { bytesMax = itemBytesMax }: { readonly bytesMax?: number } = {}) {
    this.#onItem = onItem;
    this.#bytesMax = bytesMax;
  }

  /** The number of items emitted so far. */
  get items(): number {
    return this.#items;
  }

  /**
   * Processes the next piece of the body. The piece is copied.
   *
   * Throws a {@link MalformedResponseError} if the body is not a list, and a {@link TooLongError} if an item exceeds the limit.
   */
  push(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) this.#grow(length);
    this.#buffer.set(piece, this.#length);
    this.#length = length;
    if (length >= this.#scanAt) this.#scan();
  }

  /** Returns the metadata of the list. Throws a {@link MalformedResponseError} if the body is truncated. */
  finish(): ListHead {
    this.#scan();
    if (this.#state !== "done") throw malformed(`the list is truncated after ${this.#items} items`);
    if (this.#length > 0) throw malformed("there is data after the end of the list");
    const version = read(this.#metadata, "resourceVersion");
    const token = read(this.#metadata, "continue");
    const remaining = read(this.#metadata, "remainingItemCount");
    return {
      resourceVersion: typeof version === "string" ? version : "",
      continue: typeof token === "string" && token !== "" ? token : undefined,
      remainingItemCount: typeof remaining === "number" ? remaining : undefined,
    };
  }

  #scan(): void {
    const bytes = this.#buffer.subarray(0, this.#length);
    let at = 0;
    for (;;) {
      const next = this.#state === "items" ? this.#item(bytes, at) : this.#field(bytes, at);
      if (next < 0) break;
      at = next;
    }
    if (at > 0) this.#buffer.copyWithin(0, at, this.#length);
    this.#length -= at;
    if (this.#length > this.#bytesMax) throw new TooLongError("an item of the list", this.#bytesMax);
    // An incomplete item is scanned again only when the buffer has doubled. Scanning it again for every piece would take
    // quadratic time in the length of the item.
    this.#scanAt = Math.max(scanBytesMin, this.#length * 2);
  }

  #grow(length: number): void {
    const buffer = Buffer.allocUnsafeSlow(Math.max(length, this.#buffer.length * 2));
    buffer.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = buffer;
  }

  /** Processes the next item or the end of the items. Returns the next position, or -1 if more bytes are needed. */
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

  /** Processes the next field of the list. Returns the next position, or -1 if more bytes are needed. */
  #field(bytes: Buffer, from: number): number {
    const at = skip(bytes, from, true);
    if (at >= bytes.length) return at > from ? at : -1;
    if (this.#state === "done") throw malformed("there is data after the end of the list");
    const byte = bytes[at];
    if (byte === 0x7b) return at + 1;
    if (byte === 0x7d) {
      this.#state = "done";
      return at + 1;
    }
    if (byte !== 0x22) throw malformed(`the list has ${describe(byte)} in place of a field`);
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

/** Returns the end of the value that begins at `at`, or -1 if it is incomplete. */
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

/** Returns the position of the next byte that is not white space, a colon or (between values) a comma. */
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
    throw malformed("the metadata of the list is not JSON", cause);
  }
}

function malformed(problem: string, cause?: unknown): MalformedResponseError {
  return new MalformedResponseError({ problem }, cause === undefined ? undefined : { cause });
}

function read(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function describe(byte: number | undefined): string {
  return byte === undefined ? "nothing" : JSON.stringify(String.fromCharCode(byte));
}
