// HTTP/2 frames, as far as the load and the upstream of the benchmark need them.

export const frameTypes = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const endStream = 1;
export const endHeaders = 4;
export const ack = 1;
export const preface: Buffer = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
export const headerTableSize = 1;
export const defaultTableSize = 4_096;

/** Returns a frame. */
export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.allocUnsafe(9 + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  payload.copy(bytes, 9);
  return bytes;
}

/** Returns a SETTINGS frame with a size of the header table. */
export function settingsFrame(tableSize: number): Buffer {
  const payload = Buffer.alloc(6);
  payload.writeUInt16BE(headerTableSize, 0);
  payload.writeUInt32BE(tableSize, 2);
  return frame(frameTypes.settings, 0, 0, payload);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export type OnFrame = (type: number, flags: number, stream: number, payload: Buffer) => void;

/** Splits received bytes into frames. */
export class FrameSplitter {
  readonly #onFrame: OnFrame;
  #rest: Buffer | undefined;

  constructor(onFrame: OnFrame) {
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= 9) {
      const end = at + 9 + bytes.readUIntBE(at, 3);
      if (end > bytes.length) break;
      this.#onFrame(
        bytes[at + 3] ?? 0,
        bytes[at + 4] ?? 0,
        bytes.readUInt32BE(at + 5) & 0x7fffffff,
        bytes.subarray(at + 9, end),
      );
      at = end;
    }
    this.#rest = at < bytes.length ? bytes.subarray(at) : undefined;
  }
}

/** Returns the size of the header table in a SETTINGS payload, or the default. */
export function tableSizeIn(settings: Buffer): number {
  for (let at = 0; at + 6 <= settings.length; at += 6)
    if (settings.readUInt16BE(at) === headerTableSize) return settings.readUInt32BE(at + 2);
  return defaultTableSize;
}
