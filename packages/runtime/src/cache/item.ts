import { emptySpan, type ObjectSpan, scanObject } from "@homeostat/client";
import { deepFreeze, type DeepReadonly, formatKey, isList, type OwnerReference, ParseError } from "@homeostat/core";
import type { Cut } from "./slabs.ts";
import { readVersion, type Version } from "./version.ts";

/**
 * One object as received from the server: its bytes, and the positions of the few fields that the cache needs.
 *
 * A single instance is filled again and again, so that a list of a hundred thousand objects leaves no garbage behind.
 */
export class Item {
  bytes: Buffer = noBytes;
  /** The range of the object within `bytes`, without the part that is not kept. */
  cut: Cut = noCut;
  namespace = "";
  name = "";
  version: Version | undefined;
  /** Position of the uid's text in `bytes`; -1 if there is none. */
  uidStart = -1;
  uidEnd = -1;
  /** Position of the `ownerReferences` list in `bytes`; -1 if there is none. */
  ownersStart = -1;
  ownersEnd = -1;

  #key = "";
  #keyName: string | undefined;
  #keyNamespace: string | undefined;

  /** Drops the bytes, which may be a small part of a large buffer. The item must be filled before it is read again. */
  release(): void {
    this.bytes = noBytes;
    this.cut = noCut;
  }

  /** `namespace/name`, or the name alone for a cluster-scoped object. */
  get key(): string {
    if (this.#keyName !== this.name || this.#keyNamespace !== this.namespace) {
      this.#keyName = this.name;
      this.#keyNamespace = this.namespace;
      this.#key = keyOfName(this);
    }
    return this.#key;
  }

  /** The uid; empty if there is none. */
  get uid(): string {
    return this.uidStart < 0 ? "" : textOf(this.bytes, this.uidStart, this.uidEnd);
  }

  /** Offset of the uid within the stored bytes, that is, after the cut. */
  get uidOffset(): number {
    const { start, cutStart, cutEnd } = this.cut;
    if (this.uidStart < 0) return noUid;
    return this.uidStart >= cutEnd ? this.uidStart - start - (cutEnd - cutStart) : this.uidStart - start;
  }
}

/** Value of {@link Item.uidOffset} for an object without a uid. */
export const noUid = 0xffff_ffff;

const noBytes: Buffer = Buffer.alloc(0);
const noCut: Cut = { start: 0, cutStart: 0, cutEnd: 0, end: 0 };

/** Returns the key of an object: `namespace/name`, or the name alone. */
export function keyOfName({ namespace, name }: Pick<Item, "namespace" | "name">): string {
  return namespace === "" ? formatKey({ name }) : formatKey({ namespace, name });
}

/**
 * Returns the owner references of an item without parsing the rest of it; undefined if they cannot be parsed on their
 * own.
 */
export function ownersOf({ bytes, ownersStart, ownersEnd }: Item): Owners | undefined {
  if (ownersStart < 0) return noOwners;
  try {
    const owners: Owners = JSON.parse(bytes.toString("utf8", ownersStart, ownersEnd));
    return isList(owners) ? deepFreeze(owners) : undefined;
  } catch {
    return undefined;
  }
}

/** The owner references of an object. */
export type Owners = readonly DeepReadonly<OwnerReference>[];

const noOwners: Owners = [];

/** Returns a copy of the bytes of an item that are kept. */
export function keptBytes({ bytes, cut: { start, cutStart, cutEnd, end } }: Item): Buffer {
  return Buffer.concat([bytes.subarray(start, cutStart), bytes.subarray(cutEnd, end)]);
}

/** Optional parts of an object that are kept. */
export interface KeepOptions {
  /** True to keep `metadata.managedFields`. It is often a third of an object and rarely read. */
  readonly managedFields?: boolean;
}

/** Fills an item from a scanned object. Throws a `ParseError` for an object without a name, since it has no key. */
export function readItem(item: Item, bytes: Buffer, span: ObjectSpan, keeps: KeepOptions = {}): Item {
  if (span.nameStart < 0 || span.nameEnd === span.nameStart) {
    const input = bytes.toString("utf8", span.start, Math.min(span.end, span.start + 1000));
    throw new ParseError({ what: "object", input, offset: 0, problem: "expected metadata.name, found none" });
  }
  item.bytes = bytes;
  item.name = textOf(bytes, span.nameStart, span.nameEnd);
  // Consecutive objects are often of one namespace: its string is created once.
  if (!isText(bytes, span.namespaceStart, span.namespaceEnd, item.namespace)) {
    item.namespace = span.namespaceStart < 0 ? "" : textOf(bytes, span.namespaceStart, span.namespaceEnd);
  }
  item.version = readVersion(bytes, span.versionStart, span.versionEnd);
  item.uidStart = span.uidEnd > span.uidStart ? span.uidStart : -1;
  item.uidEnd = span.uidEnd;
  item.ownersStart = span.ownersStart;
  item.ownersEnd = span.ownersEnd;
  const { start, end, managedFieldsStart, managedFieldsEnd } = span;
  item.cut =
    managedFieldsStart < 0 || keeps.managedFields === true
      ? { start, cutStart: end, cutEnd: end, end }
      : { start, cutStart: managedFieldsStart, cutEnd: managedFieldsEnd, end };
  return item;
}

/** Fills an item from the JSON text of one object. */
export function itemFromText(item: Item, text: string, keeps: KeepOptions = {}): Item {
  const bytes = Buffer.from(text);
  const span = emptySpan();
  if (!scanObject(bytes, 0, bytes.length, span)) {
    throw new ParseError({ what: "object", input: text.slice(0, 1000), offset: 0, problem: "expected a JSON object" });
  }
  return readItem(item, bytes, span, keeps);
}

/** Returns the text of the JSON string whose content starts at `start`. */
export function textFrom(bytes: Buffer, start: number): string {
  let end = start;
  while (end < bytes.length && bytes[end] !== 0x22) end += bytes[end] === 0x5c ? 2 : 1;
  return textOf(bytes, start, end);
}

/** Returns the text of a JSON string, given the range of its content without the quotes. */
function textOf(bytes: Buffer, start: number, end: number): string {
  for (let i = start; i < end; i += 1) {
    const byte = bytes[i] ?? 0;
    if (byte > 0x7e || byte === 0x5c) return decoded(bytes.toString("utf8", start, end));
  }
  return bytes.toString("latin1", start, end);
}

function decoded(input: string): string {
  try {
    return String(JSON.parse(`"${input}"`));
  } catch (cause) {
    throw new ParseError({ what: "JSON string", input, offset: 0, problem: "expected valid escapes" }, { cause });
  }
}

/** Reports whether bytes equal a text. Returns false for any text that would need an escape or UTF-8 decoding. */
function isText(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (start < 0) return text === "";
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i += 1) {
    const byte = bytes[start + i] ?? 0;
    if (byte !== text.charCodeAt(i) || byte > 0x7e || byte === 0x5c) return false;
  }
  return true;
}
