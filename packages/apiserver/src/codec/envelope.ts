import { DecodeError } from "./decode-error.ts";
import { ProtobufReader } from "./protobuf-reader.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";

/** The `runtime.Unknown` message that wraps an object in protobuf and names its kind. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The encoded object. */
  readonly raw: Buffer;
  readonly contentEncoding: string;
  readonly contentType: string;
}

const prefix = Buffer.from("k8s\0");

/**
 * Decodes the envelope of a protobuf body.
 *
 * @throws DecodeError in the words of the API server.
 */
export function openEnvelope(body: Uint8Array): Envelope {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length === 0) throw new DecodeError("empty data");
  if (bytes.length < 4 || !bytes.subarray(0, 4).equals(prefix)) {
    const problem = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]";
    throw new DecodeError(problem);
  }
  if (bytes.length === 4) throw new DecodeError("empty body");
  const found: { -readonly [K in keyof Envelope]: Envelope[K] } = {
    apiVersion: "",
    kind: "",
    raw: bytes.subarray(0, 0),
    contentEncoding: "",
    contentType: "",
  };
  const reader = new ProtobufReader(bytes, 4);
  while (reader.next("Unknown")) {
    if (reader.field === 1) readTypeMeta(reader.message("TypeMeta"), found);
    else if (reader.field === 2) found.raw = reader.bytes("Raw");
    else if (reader.field === 3) found.contentEncoding = reader.string("ContentEncoding");
    else if (reader.field === 4) found.contentType = reader.string("ContentType");
    else reader.skip();
  }
  return found;
}

function readTypeMeta(reader: ProtobufReader, found: { apiVersion: string; kind: string }): void {
  while (reader.next("TypeMeta")) {
    if (reader.field === 1) found.apiVersion = reader.string("APIVersion");
    else if (reader.field === 2) found.kind = reader.string("Kind");
    else reader.skip();
  }
}

/** Wraps an object encoded with `encodeProtobuf` in an envelope. */
export function sealEnvelope(apiVersion: string, kind: string, object: Uint8Array): Buffer {
  const writer = new ProtobufWriter();
  writer.string(4, "");
  writer.string(3, "");
  writer.bytes(2, object);
  writer.message(1, () => {
    writer.string(2, kind);
    writer.string(1, apiVersion);
  });
  writer.raw(prefix);
  return writer.finish();
}
