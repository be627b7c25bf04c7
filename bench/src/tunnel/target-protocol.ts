/** Length of the head of a request: the lengths of the request's and of the response's body. */
export const headBytes = 8;

/** Lengths of a request and its response, in bytes. */
export interface Exchange {
  readonly requestBytes: number;
  readonly responseBytes: number;
}

/** Returns the head of a request. */
export function encodeHead({ requestBytes, responseBytes }: Exchange): Buffer {
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32BE(requestBytes, 0);
  head.writeUInt32BE(responseBytes, 4);
  return head;
}

/** Reads the head of a request. */
export function decodeHead(head: Buffer): Exchange {
  return { requestBytes: head.readUInt32BE(0), responseBytes: head.readUInt32BE(4) };
}

/** Calls `write` with chunks of a body until it returns false or the body is complete. Returns the bytes that are left. */
export function writeBody(leftBytes: number, write: (chunk: Buffer) => boolean): number {
  let left = leftBytes;
  while (left > 0) {
    const chunk = left >= block.length ? block : block.subarray(0, left);
    left -= chunk.length;
    if (!write(chunk)) break;
  }
  return left;
}

const block = Buffer.alloc(128 * 1024, 0x5a);
