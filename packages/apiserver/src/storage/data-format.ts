// What the files of a data folder look like. All numbers are little-endian.
//
// A file begins with 32 bytes: what it is (8 letters), the format (4), a salt (4), the revision that it begins after (8), zero (4), and
// the checksum of all that (4). Frames follow. A frame is a mark (4), the length of its content (4), the checksum (4) of both the
// length and the content, with the salt, and the content: records, one behind the other. A frame of a log is what was
// written down in one go: it is there as a whole, or not at all.
//
// A record is its kind (1), zero (3), the lengths of key and value (4 + 4), zero (4), its revision (8), the revision that created
// the key (8), the key in UTF-8, and the value. The last record of a snapshot holds the number of values instead.

import { checksum } from "./checksum.ts";

/** The format that this program writes, and the only one it reads. */
export const dataFormat = 1;

export const headBytes = 32;
const frameHeadBytes = 12;
const recordHeadBytes = 32;
const frameMark = 0x3146_7348;

/** What a file is for. */
export type FileKind = "log" | "snapshot";

const magics: Readonly<Record<FileKind, string>> = { log: "HomeoLog", snapshot: "HomeoSnp" };

/** The first bytes of a file. */
export interface FileHead {
  readonly kind: FileKind;
  readonly format: number;
  readonly salt: number;
  /** The first record of a log is of the next revision; a snapshot shows this one. */
  readonly base: number;
}

/** One record. */
export interface DataRecord {
  readonly kind: "put" | "delete" | "end";
  readonly key: string;
  /** Of an `end`, the revision of the snapshot. */
  readonly revision: number;
  /** Of an `end`, how many records came before. */
  readonly createdRevision: number;
  /** A view of the file. */
  readonly value: Uint8Array;
}

const kindNumbers: Readonly<Record<DataRecord["kind"], number>> = { put: 1, delete: 2, end: 3 };
const kindsByNumber: readonly (DataRecord["kind"] | undefined)[] = [undefined, "put", "delete", "end"];
const encoder = new TextEncoder();
const decoder = new TextDecoder();

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function encodeHead({ kind, format, salt, base }: FileHead): Uint8Array {
  const bytes = new Uint8Array(headBytes);
  const view = viewOf(bytes);
  bytes.set(encoder.encode(magics[kind]));
  view.setUint32(8, format, true);
  view.setUint32(12, salt, true);
  view.setFloat64(16, base, true);
  view.setUint32(28, checksum(bytes.subarray(0, 28)), true);
  return bytes;
}

/** The head of a file of a kind; `undefined` when it is not whole. */
export function decodeHead(bytes: Uint8Array, kind: FileKind): FileHead | undefined {
  if (bytes.length < headBytes) return undefined;
  const view = viewOf(bytes);
  if (decoder.decode(bytes.subarray(0, 8)) !== magics[kind]) return undefined;
  if (view.getUint32(28, true) !== checksum(bytes.subarray(0, 28))) return undefined;
  return {
    kind,
    format: view.getUint32(8, true),
    salt: view.getUint32(12, true),
    base: view.getFloat64(16, true),
  };
}

/** Records as one frame. */
export function encodeFrame(records: readonly DataRecord[], salt: number): Uint8Array {
  const keys = records.map(({ key }) => encoder.encode(key));
  const length = records.reduce((sum, { value }, i) => sum + recordBytes(keys[i]?.length ?? 0, value.length), 0);
  const bytes = new Uint8Array(frameHeadBytes + length);
  const view = viewOf(bytes);
  view.setUint32(0, frameMark, true);
  view.setUint32(4, length, true);
  let at = frameHeadBytes;
  for (const [i, { kind, revision, createdRevision, value }] of records.entries()) {
    const key = keys[i] ?? new Uint8Array();
    bytes[at] = kindNumbers[kind];
    view.setUint32(at + 4, key.length, true);
    view.setUint32(at + 8, value.length, true);
    view.setFloat64(at + 16, revision, true);
    view.setFloat64(at + 24, createdRevision, true);
    bytes.set(key, at + recordHeadBytes);
    bytes.set(value, at + recordHeadBytes + key.length);
    at += recordBytes(key.length, value.length);
  }
  view.setUint32(8, frameChecksum(bytes, salt), true);
  return bytes;
}

function recordBytes(keyLength: number, valueLength: number): number {
  return recordHeadBytes + keyLength + valueLength;
}

function frameChecksum(frame: Uint8Array, salt: number): number {
  return checksum(frame.subarray(frameHeadBytes), checksum(frame.subarray(4, 8), salt));
}

/** The frame that begins at an offset: where it ends and what it holds; or why it is none. */
export function decodeFrame(
  bytes: Uint8Array,
  offset: number,
  salt: number,
): { readonly end: number; readonly records: readonly DataRecord[] } | { readonly problem: string } {
  const frame = frameAt(bytes, offset, salt);
  if ("problem" in frame) return frame;
  const records: DataRecord[] = [];
  const view = viewOf(frame.content);
  for (let at = 0; at < frame.content.length;) {
    if (at + recordHeadBytes > frame.content.length) return { problem: "a record does not fit its frame" };
    const kind = kindsByNumber[frame.content[at] ?? 0];
    const keyEnd = at + recordHeadBytes + view.getUint32(at + 4, true);
    const end = keyEnd + view.getUint32(at + 8, true);
    if (kind === undefined || end > frame.content.length) return { problem: "a record does not fit its frame" };
    records.push({
      kind,
      key: decoder.decode(frame.content.subarray(at + recordHeadBytes, keyEnd)),
      revision: view.getFloat64(at + 16, true),
      createdRevision: view.getFloat64(at + 24, true),
      value: frame.content.subarray(keyEnd, end),
    });
    at = end;
  }
  return { end: frame.end, records };
}

function frameAt(
  bytes: Uint8Array,
  offset: number,
  salt: number,
): { readonly end: number; readonly content: Uint8Array } | { readonly problem: string } {
  if (offset + frameHeadBytes > bytes.length) return { problem: "the file ends within the head of a frame" };
  const view = viewOf(bytes);
  if (view.getUint32(offset, true) !== frameMark) return { problem: "there is no frame" };
  const end = offset + frameHeadBytes + view.getUint32(offset + 4, true);
  if (end > bytes.length) return { problem: "the file ends within a frame" };
  const frame = bytes.subarray(offset, end);
  if (view.getUint32(offset + 8, true) !== frameChecksum(frame, salt))
    return { problem: "the checksum of a frame is wrong" };
  return { end, content: frame.subarray(frameHeadBytes) };
}

/**
 * Whether any whole frame begins behind an offset.
 *
 * Then what is at the offset is not the last thing that was written, and not a write that was cut short. Looks at no more than some
 * multiple of the file, and says yes when that is not enough: nobody's data is cut off on a guess.
 */
export function hasFrameBehind(bytes: Uint8Array, offset: number, salt: number): boolean {
  const view = viewOf(bytes);
  let effort = bytes.length * 8 + 1024 * 1024;
  for (let at = bytes.indexOf(frameMark & 0xff, offset + 1); at >= 0; at = bytes.indexOf(frameMark & 0xff, at + 1)) {
    if (at + frameHeadBytes > bytes.length) return false;
    if (view.getUint32(at, true) !== frameMark) continue;
    const length = view.getUint32(at + 4, true);
    if (at + frameHeadBytes + length > bytes.length) continue;
    effort -= length;
    if (effort < 0 || !("problem" in frameAt(bytes, at, salt))) return true;
  }
  return false;
}
