/** As much as TLS gives at once. */
const pieceBytesMax = 16 * 1024;
/** Pieces are cut from blocks of this size. */
const blockBytes = 64 * 1024;

let block = Buffer.alloc(0);
let used = 0;

/** A copy of some bytes that nobody will write over, beside others in one block of memory. */
function copyOf(bytes: Uint8Array): Buffer {
  if (used + bytes.length > block.length) {
    block = Buffer.allocUnsafeSlow(blockBytes);
    used = 0;
  }
  const copy = block.subarray(used, used + bytes.length);
  copy.set(bytes);
  used += bytes.length;
  return copy;
}

/** Takes what arrives on a connection. */
export interface PieceTaker {
  receive(piece: Buffer): void;
}

/**
 * Reads a connection into one buffer, over and over: the option `onread` of Node's sockets.
 *
 * Otherwise Node allocates 64 KB for each piece, gives most of it back, and passes the piece through a stream. A socket that does not
 * know the option, because it speaks through a proxy's, emits `data` as ever.
 */
export class Reading {
  readonly buffer: Buffer = Buffer.allocUnsafeSlow(pieceBytesMax);
  taker: PieceTaker | undefined;

  /** Called by the socket. */
  readonly callback = (length: number, buffer: Uint8Array): boolean => {
    this.taker?.receive(copyOf(length === buffer.length ? buffer : buffer.subarray(0, length)));
    return true;
  };
}
