import { createCipheriv, createHash } from "node:crypto";

/** Size of a large transfer. */
export const transferBytes: number = 64 * 1024 * 1024;

/** Returns bytes that do not repeat, the same at each call. */
export function largeBody(): Buffer {
  return createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(transferBytes));
}

/** Returns the SHA-256 of the bytes of a stream, in hex. */
export async function hashOf(source: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of source) hash.update(chunk);
  return hash.digest("hex");
}
