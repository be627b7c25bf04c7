import { emptySpan, type ObjectSpan, scanObject } from "./scan-object.ts";

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

/**
 * Takes the body of a list apart while it arrives: each item is handed on as bytes as soon as it is whole.
 *
 * Works for either order of fields: typed lists say `metadata` first, lists of custom resources say it last. Needs room
 * for one item and one piece of the body, however long the list.
 */
export class ListScanner {
  readonly #onItem: OnItem;
  readonly #span = emptySpan();
  #rest: Buffer = Buffer.alloc(0);
  #state: State = "fields";
  #metadata: unknown;
  #items = 0;

  constructor(onItem: OnItem) {
    this.#onItem = onItem;
  }

  /** How many items have been handed on. */
  get items(): number {
    return this.#items;
  }

  /** Takes the next piece of the body. Throws `SyntaxError` when it cannot be part of a list. */
  push(piece: Buffer): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let at = 0;
    for (;;) {
      const next = this.#state === "items" ? this.#item(bytes, at) : this.#field(bytes, at);
      if (next < 0) break;
      at = next;
    }
    this.#rest = at === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(at));
  }

  /** What the list said beside its items. Throws `SyntaxError` when the body ended too early: such a list is no list. */
  finish(): ListHead {
    if (this.#state !== "done")
      throw new SyntaxError(`the list ended after ${this.#items} items, before its closing brace`);
    const version = read(this.#metadata, "resourceVersion");
    const token = read(this.#metadata, "continue");
    const remaining = read(this.#metadata, "remainingItemCount");
    return {
      resourceVersion: typeof version === "string" ? version : "",
      continue: typeof token === "string" && token !== "" ? token : undefined,
      remainingItemCount: typeof remaining === "number" ? remaining : undefined,
    };
  }

  /** Handles the next item or the end of the items; returns where to go on, or -1 when more bytes are needed. */
  #item(bytes: Buffer, from: number): number {
    const at = skip(bytes, from, true);
    if (at >= bytes.length) return -1;
    if (bytes[at] === 0x5d) {
      this.#state = "fields";
      return at + 1;
    }
    if (bytes[at] !== 0x7b) throw new SyntaxError(`an item of the list begins with ${describe(bytes[at])}`);
    if (!scanObject(bytes, at, bytes.length, this.#span)) return -1;
    this.#items += 1;
    this.#onItem(bytes, this.#span);
    return this.#span.end;
  }

  /** Handles the next field of the list itself. */
  #field(bytes: Buffer, from: number): number {
    const at = skip(bytes, from, true);
    if (at >= bytes.length || this.#state === "done") return at > from ? at : -1;
    const byte = bytes[at];
    if (byte === 0x7b) return at + 1;
    if (byte === 0x7d) {
      this.#state = "done";
      return at + 1;
    }
    if (byte !== 0x22) throw new SyntaxError(`the list has ${describe(byte)} where a field should be`);
    const keyEnd = bytes.indexOf(0x22, at + 1);
    if (keyEnd < 0) return -1;
    const value = skip(bytes, keyEnd + 1, false);
    if (value >= bytes.length) return -1;
    const key = bytes.toString("latin1", at + 1, keyEnd);
    if (key === "items" && bytes[value] === 0x5b) {
      this.#state = "items";
      return value + 1;
    }
    const end = valueEnd(bytes, value, this.#span);
    if (end < 0) return -1;
    if (key === "metadata") this.#metadata = JSON.parse(bytes.toString("utf8", value, end));
    return end;
  }
}

/** Where the value that begins at `at` ends, or -1 when the bytes end first. */
function valueEnd(bytes: Buffer, at: number, span: ObjectSpan): number {
  const byte = bytes[at];
  if (byte === 0x7b || byte === 0x5b) return scanObject(bytes, at, bytes.length, span) ? span.end : -1;
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

function read(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function describe(byte: number | undefined): string {
  return byte === undefined ? "nothing" : JSON.stringify(String.fromCharCode(byte));
}
