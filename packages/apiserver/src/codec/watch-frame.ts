import { ProtobufWriter } from "./protobuf-writer.ts";

/**
 * Encodes a watch event in protobuf (`stream=watch`): four bytes of length, then the event.
 *
 * `object` is the object in its envelope, from `sealEnvelope`. The event itself has no envelope.
 */
export function sealWatchFrame(type: string, object: Uint8Array): Buffer {
  const writer = new ProtobufWriter();
  writer.message(2, () => writer.bytes(1, object));
  writer.string(1, type);
  const event = writer.finish();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}
