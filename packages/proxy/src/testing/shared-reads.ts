import { type DirectReadOptions, directReads } from "../listener/direct-reads.ts";

/**
 * Delivers bytes as the sockets of clients do: in the buffer that all connections share. They are overwritten after each call, so that bytes that were
 * not copied in time are noticed.
 */
export function deliverShared(bytes: Buffer, receiver: DirectReadOptions): void {
  const reads = directReads(receiver);
  const shared = typeof reads.buffer === "function" ? reads.buffer() : reads.buffer;
  for (let at = 0; at < bytes.length; at += shared.length) {
    const part = bytes.subarray(at, at + shared.length);
    shared.set(part);
    reads.callback(part.length, shared);
    shared.fill(0xaa, 0, part.length);
  }
}
