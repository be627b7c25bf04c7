// Protobuf responses in their compared form: their content, and whether their bytes are those that Go would write.

import {
  decodeProtobuf,
  encodeProtobuf,
  openEnvelope,
  sealEnvelope,
  sealWatchFrame,
  typeTable,
} from "@homeostat/apiserver/internal";

/** Media type of Kubernetes protobuf. */
export const protobuf = "application/vnd.kubernetes.protobuf";

/** The compared form of an object in protobuf. */
export interface WireObject {
  /** True if encoding the decoded object gives the same bytes, so that no field was skipped. */
  readonly isExact: boolean;
  readonly object: Readonly<Record<string, unknown>>;
}

/** Decodes an object in its envelope. */
export function readWire(bytes: Buffer): WireObject {
  const { apiVersion, kind, raw } = openEnvelope(bytes);
  const type = typeTable().kindType(apiVersion === "" ? "v1" : apiVersion, kind);
  if (type === undefined) return { isExact: false, object: { apiVersion, kind } };
  const object = decodeProtobuf(type, raw);
  const again = sealEnvelope(apiVersion, kind, encodeProtobuf(type, object));
  return { isExact: again.equals(bytes), object: { ...object, kind, apiVersion } };
}

/** Encodes an object as a protobuf body. */
export function wireBody(object: Readonly<Record<string, unknown>> & { apiVersion: string; kind: string }): Buffer {
  const { apiVersion, kind } = object;
  const type = typeTable().kindType(apiVersion, kind);
  if (type === undefined) throw new Error(`there is no kind ${kind} in ${apiVersion}`);
  return sealEnvelope(apiVersion, kind, encodeProtobuf(type, object));
}

/** Returns the complete frames at the beginning of a protobuf watch. */
export function wireFrames(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    frames.push(bytes.subarray(at, end));
    at = end;
  }
  return frames;
}

/** Decodes a watch event: its type and its object. */
export function readWireEvent(frame: Buffer): WireObject & { readonly type: string } {
  // An event has two fields: a string, and a message with one bytes field, the object in its envelope.
  const [type, extension] = fieldsOf(frame.subarray(4));
  const [object = Buffer.alloc(0)] = fieldsOf(extension ?? Buffer.alloc(0));
  const word = type?.toString("utf8") ?? "";
  const read = readWire(object);
  return { type: word, ...read, isExact: read.isExact && sealWatchFrame(word, object).equals(frame) };
}

/** Returns the values of a message whose fields all have lengths. */
function fieldsOf(bytes: Buffer): Buffer[] {
  const values: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    at += 1;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at] ?? 0;
      at += 1;
      length += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    values.push(bytes.subarray(at, at + length));
    at += length;
  }
  return values;
}
