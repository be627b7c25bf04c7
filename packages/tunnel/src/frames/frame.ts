// Frames of yamux, version 0: a header of 12 bytes in network byte order (version 8 bits, type 8, flags 16, stream id 32, length 32), and for
// data frames `length` bytes of data. Compatible with github.com/hashicorp/yamux.

/** Length of a frame header in bytes. */
export const headerBytes = 12;

/** Types of frames. */
export const frameType = {
  /** Data of a stream; the length is the number of bytes that follow. */
  data: 0,
  /** Raises the window of a stream by the length. Without data, it also carries flags: open, acknowledge, close. */
  windowUpdate: 1,
  /** A ping (SYN) or the response to one (ACK); the length is an arbitrary number that the response repeats. */
  ping: 2,
  /** Ends the session; the length is a {@link GoAwayCode}. */
  goAway: 3,
} as const;

/** Flags of frames. */
export const frameFlag = {
  /** Opens a stream. */
  syn: 1,
  /** Accepts a stream. */
  ack: 2,
  /** The sender sends no more data on the stream. */
  fin: 4,
  /** Ends the stream at once. */
  rst: 8,
} as const;

/** All flags that are defined. A frame with another one is malformed. */
export const knownFlags = 0xf;

/** The reason of a go-away frame. `draining` is an addition of this project: the peer should connect to another replica. */
export const goAwayCode = { normal: 0, protocolError: 1, internalError: 2, draining: 3 } as const;
/** One of {@link goAwayCode}. */
export type GoAwayCode = (typeof goAwayCode)[keyof typeof goAwayCode];

/** The fields of a frame header. */
export interface FrameHeader {
  readonly type: number;
  readonly flags: number;
  readonly id: number;
  readonly length: number;
}

/** Returns the bytes of a frame header. */
export function encodeHeader({ type, flags, id, length }: FrameHeader): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes);
  bytes[0] = 0;
  bytes[1] = type;
  bytes.writeUInt16BE(flags, 2);
  bytes.writeUInt32BE(id, 4);
  bytes.writeUInt32BE(length, 8);
  return bytes;
}
