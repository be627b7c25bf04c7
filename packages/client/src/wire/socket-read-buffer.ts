/** The maximum size of a TLS record. */
const pieceBytesMax = 16 * 1024;
/** Pieces are cut from blocks of this size. */
const blockBytes = 64 * 1024;

let block = Buffer.alloc(0);
let used = 0;

/** Copies bytes into a shared block of memory. The copy is never overwritten. */
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

/** Receives the pieces that arrive on a connection. */
export interface PieceReceiver {
  receive(piece: Buffer): void;
}

/**
 * The `onread` option of Node's sockets: the socket reads into one buffer that is reused.
 *
 * Without it, Node allocates 64 KB for each piece, frees most of it, and passes the piece through a stream. A socket on top of the
 * socket of a proxy does not support the option and emits `data` events instead.
 */
export class SocketReadBuffer {
  readonly buffer: Buffer = Buffer.allocUnsafeSlow(pieceBytesMax);
  receiver: PieceReceiver | undefined;

  /** Called by the socket. */
  readonly callback = (length: number, buffer: Uint8Array): boolean => {
    this.receiver?.receive(copyOf(length === buffer.length ? buffer : buffer.subarray(0, length)));
    return true;
  };
}
