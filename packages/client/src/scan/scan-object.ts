// Finds one object in JSON bytes without decoding it: its end, and the positions of the few fields that a cache needs.
// These are the hottest loops of the project, so the state machine is one long function.

/** The positions of an object and of some of its fields, as offsets into the scanned bytes; -1 for absent fields. */
export interface ObjectSpan {
  /** The offset of the opening brace. */
  start: number;
  /** The offset after the closing brace. */
  end: number;
  /** The text of `metadata.name` without its quotes. The same for the following fields. */
  nameStart: number;
  nameEnd: number;
  namespaceStart: number;
  namespaceEnd: number;
  uidStart: number;
  uidEnd: number;
  versionStart: number;
  versionEnd: number;
  /** `"managedFields":[…]` including one adjacent comma, so that it can be cut out. */
  managedFieldsStart: number;
  managedFieldsEnd: number;
  /** The list `metadata.ownerReferences`, including its brackets. */
  ownersStart: number;
  ownersEnd: number;
}

/** Returns an empty span, to be filled by {@link scanObject}. Reuse one span for many objects to avoid allocations. */
export function emptySpan(): ObjectSpan {
  return {
    start: -1,
    end: -1,
    nameStart: -1,
    nameEnd: -1,
    namespaceStart: -1,
    namespaceEnd: -1,
    uidStart: -1,
    uidEnd: -1,
    versionStart: -1,
    versionEnd: -1,
    managedFieldsStart: -1,
    managedFieldsEnd: -1,
    ownersStart: -1,
    ownersEnd: -1,
  };
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Strings longer than this are searched with `Buffer.indexOf`, which is faster per byte but has a cost per call. */
const shortString = 128;

/**
 * Scans the object whose opening brace is at `start` and fills `span`.
 *
 * Returns false if the object is incomplete; scan again from `start` when more bytes have arrived. The bytes are assumed to be
 * JSON. Malformed JSON is found when the object is parsed, but the scan terminates for any input.
 */
export function scanObject(bytes: Buffer, start: number, end: number, span: ObjectSpan): boolean {
  return scan(bytes, start, end, span, false);
}

/**
 * Scans bytes that contain exactly one object up to `end`, such as a line of a watch or a body. Everything after its metadata,
 * which is most of an object, is then not scanned.
 *
 * Returns false if the bytes do not end with a closing brace.
 */
export function scanWhole(bytes: Buffer, start: number, end: number, span: ObjectSpan): boolean {
  return end > start && bytes[end - 1] === closeBrace && scan(bytes, start, end, span, true);
}

function scan(bytes: Buffer, start: number, end: number, span: ObjectSpan, isWhole: boolean): boolean {
  clear(span, start);
  if (bytes[start] !== openBrace) return false;
  let isInMetadata = false;
  let isAtKey = true;
  for (let i = start + 1; i < end; i += 1) {
    switch (bytes[i]) {
      case quote: {
        const textStart = i + 1;
        const textEnd = stringEnd(bytes, textStart, end);
        if (textEnd < 0) return false;
        i = textEnd;
        if (!isAtKey) break;
        isAtKey = false;
        // A key: continue with its value if it is one of the recorded fields.
        const kind = isInMetadata ? metadataField(bytes, textStart, textEnd) : topField(bytes, textStart, textEnd);
        if (kind === 0) break;
        const value = valueStart(bytes, textEnd + 1, end);
        if (value < 0) return false;
        i = value - 1;
        if (kind === metadata) {
          if (bytes[value] !== openBrace) break;
          isInMetadata = true;
          isAtKey = true;
          i = value;
        } else if (kind === managedFields || kind === owners) {
          if (bytes[value] !== openBracket) break;
          const valueEnd = nestedEnd(bytes, value, end);
          if (valueEnd < 0) return false;
          if (kind === managedFields) cut(bytes, span, textStart - 1, valueEnd, end);
          else record(span, kind, value, valueEnd);
          i = valueEnd - 1;
        } else if (bytes[value] === quote) {
          const valueEnd = stringEnd(bytes, value + 1, end);
          if (valueEnd < 0) return false;
          record(span, kind, value + 1, valueEnd);
          i = valueEnd;
        }
        break;
      }
      case openBrace:
      case openBracket: {
        const valueEnd = nestedEnd(bytes, i, end);
        if (valueEnd < 0) return false;
        i = valueEnd - 1;
        break;
      }
      case closeBrace:
      case closeBracket:
        if (!isInMetadata) {
          span.end = i + 1;
          return !isWhole || span.end === end;
        }
        if (isWhole) {
          span.end = end;
          return true;
        }
        isInMetadata = false;
        isAtKey = false;
        break;
      case comma:
        isAtKey = true;
        break;
      default:
        break;
    }
  }
  return false;
}

/** Returns the offset after the object or list that begins at `start`, or -1 if it is incomplete. Most bytes are scanned here. */
export function nestedEnd(bytes: Buffer, start: number, end: number): number {
  let depth = 0;
  for (let i = start; i < end; i += 1) {
    const byte = bytes[i];
    if (byte === quote) {
      // Inlined `stringEnd`: most bytes are in short strings, and a call per string makes the scan 50 % slower.
      const near = Math.min(end, i + shortString);
      for (i += 1; i < near && bytes[i] !== quote; i += 1) if (bytes[i] === backslash) i += 1;
      if (i >= near) i = farStringEnd(bytes, i, end);
      if (i < 0) return -1;
    } else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth <= 0) return i + 1;
    }
  }
  return -1;
}

const metadataKey = Buffer.from("metadata");
const name = 1;
const namespace = 2;
const uid = 3;
const version = 4;
const managedFields = 5;
const owners = 6;
const metadata = 7;
const fields = [
  Buffer.from("name"),
  Buffer.from("namespace"),
  Buffer.from("uid"),
  Buffer.from("resourceVersion"),
  Buffer.from("managedFields"),
  Buffer.from("ownerReferences"),
];

/** Returns `metadata` if a top-level key is "metadata", otherwise 0. */
function topField(bytes: Buffer, start: number, end: number): number {
  return end - start === metadataKey.length && is(bytes, start, metadataKey) ? metadata : 0;
}

/** Returns the number of a recorded field of `metadata`, or 0 for any other key. */
function metadataField(bytes: Buffer, start: number, end: number): number {
  for (let i = 0; i < fields.length; i += 1) {
    const field = fields[i];
    if (field !== undefined && field.length === end - start && is(bytes, start, field)) return i + 1;
  }
  return 0;
}

function is(bytes: Buffer, start: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[start + i] !== text[i]) return false;
  return true;
}

function record(span: ObjectSpan, kind: number, start: number, end: number): void {
  if (kind === name) {
    span.nameStart = start;
    span.nameEnd = end;
  } else if (kind === namespace) {
    span.namespaceStart = start;
    span.namespaceEnd = end;
  } else if (kind === uid) {
    span.uidStart = start;
    span.uidEnd = end;
  } else if (kind === version) {
    span.versionStart = start;
    span.versionEnd = end;
  } else if (kind === owners) {
    span.ownersStart = start;
    span.ownersEnd = end;
  }
}

/** Records the range to cut for `managedFields`: with the comma after it or, if it is the last field, the comma before it. */
function cut(bytes: Buffer, span: ObjectSpan, start: number, end: number, limit: number): void {
  let after = end;
  while (after < limit && isSpace(bytes[after])) after += 1;
  if (bytes[after] === comma) {
    span.managedFieldsStart = start;
    span.managedFieldsEnd = after + 1;
    return;
  }
  let before = start - 1;
  while (before > span.start && isSpace(bytes[before])) before -= 1;
  span.managedFieldsStart = bytes[before] === comma ? before : start;
  span.managedFieldsEnd = end;
}

/** Returns the offset of the closing quote of a string whose text begins at `from`, or -1 if it is incomplete. */
function stringEnd(bytes: Buffer, from: number, end: number): number {
  const near = Math.min(end, from + shortString);
  let i = from;
  for (; i < near; i += 1) {
    const byte = bytes[i];
    if (byte === quote) return i;
    if (byte === backslash) i += 1;
  }
  return farStringEnd(bytes, i, end);
}

function farStringEnd(bytes: Buffer, from: number, end: number): number {
  let i = from;
  while (i < end) {
    const found = bytes.indexOf(quote, i);
    if (found < 0 || found >= end) return -1;
    let slashes = 0;
    while (found - 1 - slashes >= i && bytes[found - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return found;
    i = found + 1;
  }
  return -1;
}

/** Returns the offset of the value after a key, or -1 if it is incomplete. */
function valueStart(bytes: Buffer, from: number, end: number): number {
  let i = from;
  while (i < end && (bytes[i] === colon || isSpace(bytes[i]))) i += 1;
  return i < end ? i : -1;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function clear(span: ObjectSpan, start: number): void {
  span.start = start;
  span.end = -1;
  span.nameStart = span.nameEnd = -1;
  span.namespaceStart = span.namespaceEnd = -1;
  span.uidStart = span.uidEnd = -1;
  span.versionStart = span.versionEnd = -1;
  span.managedFieldsStart = span.managedFieldsEnd = -1;
  span.ownersStart = span.ownersEnd = -1;
}
