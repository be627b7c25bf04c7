import { decodeHuffman } from "./huffman.ts";
import { staticNames } from "./static-table.ts";

/** Kinds of names that engines treat in a special way. */
export const nameKinds = {
  regular: 0,
  method: 1,
  scheme: 2,
  path: 3,
  authority: 4,
  protocol: 5,
  status: 6,
  /** A name that starts with a colon and is none of the above, or has bytes that no name may have. */
  invalid: 7,
  /** A field that describes the connection; HTTP/2 forbids it. */
  connection: 8,
  te: 9,
  contentLength: 10,
  host: 11,
} as const;

export type NameKind = (typeof nameKinds)[keyof typeof nameKinds];

/** Largest kind of pseudo-header fields. */
export const pseudoKindMax: number = nameKinds.status;

const special: ReadonlyMap<string, NameKind> = new Map<string, NameKind>([
  [":method", nameKinds.method],
  [":scheme", nameKinds.scheme],
  [":path", nameKinds.path],
  [":authority", nameKinds.authority],
  [":protocol", nameKinds.protocol],
  [":status", nameKinds.status],
  ["connection", nameKinds.connection],
  ["keep-alive", nameKinds.connection],
  ["proxy-connection", nameKinds.connection],
  ["transfer-encoding", nameKinds.connection],
  ["upgrade", nameKinds.connection],
  ["te", nameKinds.te],
  ["content-length", nameKinds.contentLength],
  ["host", nameKinds.host],
]);

/** Returns the kind of a name. A valid name is a token of HTTP in lower case. */
export function kindOf(name: string): NameKind {
  return special.get(name) ?? (/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name) ? nameKinds.regular : nameKinds.invalid);
}

/** A name with its kind. */
export interface FieldName {
  readonly name: string;
  readonly kind: NameKind;
}

/** Names of the static table by index. */
export const staticFieldNames: readonly FieldName[] = staticNames.map((name) => ({ name, kind: kindOf(name) }));

interface Interned extends FieldName {
  readonly isHuffman: boolean;
  readonly bytes: Buffer;
}

const bucketsMax = 1024;

/**
 * Names by their encoded bytes. Connections repeat the same few names, so a lookup replaces decoding, checking, and creating a text.
 *
 * The number of names is bounded: a name replaces the one in its bucket. A client that sends many names costs others a few decodings.
 */
export class NameCache {
  readonly #buckets: (Interned | undefined)[] = Array.from({ length: bucketsMax }, () => undefined);

  /** Returns the name of encoded bytes, or undefined if their Huffman code is invalid. */
  get(bytes: Buffer, start: number, end: number, isHuffman: boolean): FieldName | undefined {
    let hash = isHuffman ? 7 : 3;
    for (let at = start; at < end; at += 1) hash = (hash * 31 + (bytes[at] ?? 0)) | 0;
    const bucket = (hash ^ (hash >>> 10)) & (bucketsMax - 1);
    const known = this.#buckets[bucket];
    if (known !== undefined && known.isHuffman === isHuffman && isSame(known.bytes, bytes, start, end)) return known;
    const name = isHuffman ? decodeHuffman(bytes, start, end) : bytes.toString("latin1", start, end);
    if (name === undefined) return undefined;
    // A copy: the bytes are part of a chunk that is used again.
    const added: Interned = { name, kind: kindOf(name), isHuffman, bytes: Buffer.from(bytes.subarray(start, end)) };
    if (end - start <= 64) this.#buckets[bucket] = added;
    return added;
  }
}

function isSame(known: Buffer, bytes: Buffer, start: number, end: number): boolean {
  const { length } = known;
  if (length !== end - start) return false;
  for (let at = 0; at < length; at += 1) if (known[at] !== bytes[start + at]) return false;
  return true;
}
