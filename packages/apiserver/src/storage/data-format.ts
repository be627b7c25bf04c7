// Binary format of the files in a data directory: write-ahead logs and snapshots. All numbers are little-endian.
//
// A file starts with a header of 32 bytes:
//
//   bytes  0-7   magic: "HomeoLog" or "HomeoSnp"
//   bytes  8-11  format version
//   bytes 12-15  salt: a random number, mixed into the checksum of every frame
//   bytes 16-23  base revision, as a float64: a log continues after it, a snapshot shows it
//   bytes 24-27  zero
//   bytes 28-31  CRC-32 of bytes 0-27
//
// Frames follow the header. A frame is a mark (4), the length of its content (4), a checksum of the length and the
// content (4), and the content: records without gaps. A frame of a log holds the changes of one batch. Its checksum
// makes the batch atomic: after a crash the frame is complete or it is discarded. Each file has its
// own salt, so bytes of another data file, left on the disk or stored inside a value, never count as a valid frame.
//
// A record is its kind (1), zero (3), the lengths of key and value (4 + 4), zero (4), its revision (8), the revision
// that created the key (8), the key in UTF-8, and the value. The last record of a snapshot has the kind "end"; it holds
// the number of values in place of the creation revision, which proves that the snapshot is complete.

import { checksum } from "./checksum.ts";

/** Format version that this program writes, and the only one that it reads. */
export const dataFormat = 1;

export const headerBytes = 32;
const frameHeaderBytes = 12;
const recordHeaderBytes = 32;
const frameMark = 0x3146_7348;

/** Type of a data file. */
export type FileKind = "log" | "snapshot";

const magics: Readonly<Record<FileKind, string>> = { log: "HomeoLog", snapshot: "HomeoSnp" };

/** Header of a data file. */
export interface FileHeader {
  readonly kind: FileKind;
  readonly format: number;
  readonly salt: number;
  /** Base revision: the first record of a log has the next revision; a snapshot shows the state at this one. */
  readonly base: number;
}

/** A change in a log, a value in a snapshot, or the end mark of a snapshot. */
export interface DataRecord {
  readonly kind: "put" | "delete" | "end";
  readonly key: string;
  /** Revision of the write; for an `end` record, the revision of the snapshot. */
  readonly revision: number;
  /** Revision that created the key; for an `end` record, the number of records before it. */
  readonly createdRevision: number;
  /** Encoded object. A view of the buffer that the file was read into, not a copy. */
  readonly value: Uint8Array;
}

const kindNumbers: Readonly<Record<DataRecord["kind"], number>> = { put: 1, delete: 2, end: 3 };
const kindsByNumber: readonly (DataRecord["kind"] | undefined)[] = [undefined, "put", "delete", "end"];
const encoder = new TextEncoder();
const decoder = new TextDecoder();

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function encodeHeader({ kind, format, salt, base }: FileHeader): Uint8Array {
  const bytes = new Uint8Array(headerBytes);
  const view = viewOf(bytes);
  bytes.set(encoder.encode(magics[kind]));
  view.setUint32(8, format, true);
  view.setUint32(12, salt, true);
  view.setFloat64(16, base, true);
  view.setUint32(28, checksum(bytes.subarray(0, 28)), true);
  return bytes;
}

/** Decodes the header of a file; undefined if it is incomplete, damaged or of another kind. */
export function decodeHeader(bytes: Uint8Array, kind: FileKind): FileHeader | undefined {
  if (bytes.length < headerBytes) return undefined;
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

/** Encodes records as one frame. */
export function encodeFrame(records: readonly DataRecord[], salt: number): Uint8Array {
  const keys = records.map(({ key }) => encoder.encode(key));
  const length = records.reduce((sum, { value }, i) => sum + recordBytes(keys[i]?.length ?? 0, value.length), 0);
  const bytes = new Uint8Array(frameHeaderBytes + length);
  const view = viewOf(bytes);
  view.setUint32(0, frameMark, true);
  view.setUint32(4, length, true);
  let at = frameHeaderBytes;
  for (const [i, { kind, revision, createdRevision, value }] of records.entries()) {
    const key = keys[i] ?? new Uint8Array();
    bytes[at] = kindNumbers[kind];
    view.setUint32(at + 4, key.length, true);
    view.setUint32(at + 8, value.length, true);
    view.setFloat64(at + 16, revision, true);
    view.setFloat64(at + 24, createdRevision, true);
    bytes.set(key, at + recordHeaderBytes);
    bytes.set(value, at + recordHeaderBytes + key.length);
    at += recordBytes(key.length, value.length);
  }
  view.setUint32(8, frameChecksum(bytes, salt), true);
  return bytes;
}

function recordBytes(keyLength: number, valueLength: number): number {
  return recordHeaderBytes + keyLength + valueLength;
}

function frameChecksum(frame: Uint8Array, salt: number): number {
  return checksum(frame.subarray(frameHeaderBytes), checksum(frame.subarray(4, 8), salt));
}

/** Decodes the frame at an offset. Returns its records and the offset after it, or why there is no valid frame. */
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
    if (at + recordHeaderBytes > frame.content.length) return { problem: "a record exceeds its frame" };
    const kind = kindsByNumber[frame.content[at] ?? 0];
    const keyEnd = at + recordHeaderBytes + view.getUint32(at + 4, true);
    const end = keyEnd + view.getUint32(at + 8, true);
    if (kind === undefined || end > frame.content.length) return { problem: "a record exceeds its frame" };
    records.push({
      kind,
      key: decoder.decode(frame.content.subarray(at + recordHeaderBytes, keyEnd)),
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
  if (offset + frameHeaderBytes > bytes.length) return { problem: "the file ends within a frame header" };
  const view = viewOf(bytes);
  if (view.getUint32(offset, true) !== frameMark) return { problem: "no frame starts here" };
  const end = offset + frameHeaderBytes + view.getUint32(offset + 4, true);
  if (end > bytes.length) return { problem: "the file ends within a frame" };
  const frame = bytes.subarray(offset, end);
  if (view.getUint32(offset + 8, true) !== frameChecksum(frame, salt))
    return { problem: "the checksum of the frame does not match" };
  return { end, content: frame.subarray(frameHeaderBytes) };
}

/**
 * Reports whether a complete, valid frame exists anywhere after an offset.
 *
 * Recovery uses it to tell a torn write from damage. A write that a crash interrupted is the last one in the log, so
 * nothing valid can follow it. A valid frame after an invalid one means that acknowledged writes are damaged, and
 * recovery must not discard them.
 *
 * The search checks a limited number of bytes, a multiple of the file size, because content that looks like frame marks
 * could make it quadratic. At the limit it returns true: recovery fails then, instead of discarding data that may be
 * valid.
 */
export function hasFrameAfter(bytes: Uint8Array, offset: number, salt: number): boolean {
  const view = viewOf(bytes);
  let effort = bytes.length * 8 + 1024 * 1024;
  for (let at = bytes.indexOf(frameMark & 0xff, offset + 1); at >= 0; at = bytes.indexOf(frameMark & 0xff, at + 1)) {
    if (at + frameHeaderBytes > bytes.length) return false;
    if (view.getUint32(at, true) !== frameMark) continue;
    const length = view.getUint32(at + 4, true);
    if (at + frameHeaderBytes + length > bytes.length) continue;
    effort -= length;
    if (effort < 0 || !("problem" in frameAt(bytes, at, salt))) return true;
  }
  return false;
}
