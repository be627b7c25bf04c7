import { HpackDecoder } from "../hpack/hpack-decoder.ts";
import { encodeFields } from "../hpack/literal-writer.ts";
import { flags, frameTypes, preface } from "../http2/protocol.ts";

/** A frame that a test has received. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly id: number;
  readonly payload: Buffer;
}

/** Returns the bytes of a frame. */
export function frame(type: number, frameFlags: number, id: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = frameFlags;
  header.writeUInt32BE(id, 5);
  return Buffer.concat([header, payload]);
}

export type TestFields = readonly (readonly [name: string, value: string])[];

export function headersFrame(id: number, fields: TestFields, { isEnd = true }: { isEnd?: boolean } = {}): Buffer {
  return frame(frameTypes.headers, flags.endHeaders | (isEnd ? flags.endStream : 0), id, encodeFields(fields));
}

export function dataFrame(id: number, body: Buffer | string, { isEnd = true }: { isEnd?: boolean } = {}): Buffer {
  return frame(frameTypes.data, isEnd ? flags.endStream : 0, id, Buffer.from(body));
}

export function settingsFrame(settings: readonly (readonly [id: number, value: number])[] = []): Buffer {
  const payload = Buffer.alloc(settings.length * 6);
  for (const [at, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, at * 6);
    payload.writeUInt32BE(value, at * 6 + 2);
  }
  return frame(frameTypes.settings, 0, 0, payload);
}

export const settingsAck: Buffer = frame(frameTypes.settings, flags.ack, 0);

export function uint32Frame(type: number, id: number, value: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(value);
  return frame(type, 0, id, payload);
}

export const resetFrame = (id: number, code: number): Buffer => uint32Frame(frameTypes.rstStream, id, code);
export const windowFrame = (id: number, size: number): Buffer => uint32Frame(frameTypes.windowUpdate, id, size);

export function goawayFrame(lastId: number, code = 0): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeUInt32BE(lastId);
  payload.writeUInt32BE(code, 4);
  return frame(frameTypes.goaway, 0, 0, payload);
}

/** The first bytes of a client. */
export const clientHello: Buffer = Buffer.concat([preface, settingsFrame()]);

/** Fields of a simple request. */
export const getRequest: TestFields = [
  [":method", "GET"],
  [":scheme", "http"],
  [":path", "/cart"],
  [":authority", "cart.shop"],
];
export const postRequest: TestFields = [[":method", "POST"], ...getRequest.slice(1)];

/** Splits bytes into frames. A preface is skipped; an incomplete frame is left out. */
export function parseFrames(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  let at = bytes.subarray(0, preface.length).equals(preface) ? preface.length : 0;
  while (bytes.length - at >= 9) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    frames.push({
      type: bytes[at + 3] ?? 0,
      flags: bytes[at + 4] ?? 0,
      id: bytes.readUInt32BE(at + 5) & 0x7fffffff,
      payload: bytes.subarray(at + 9, end),
    });
    at = end;
  }
  return frames;
}

/** Returns the fields of a block that uses no dynamic table. */
export function fieldsOf(block: Buffer): Record<string, string> {
  return Object.fromEntries(new HpackDecoder().decode(block, 0, block.length, 1_000_000).fields);
}
