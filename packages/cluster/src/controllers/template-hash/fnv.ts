/** Offset basis of the 32-bit FNV hashes. */
const offset = 0x811c9dc5;
const prime = 0x01000193;

/** Returns the 32-bit FNV-1a hash: XOR with each byte, then multiply. */
export function fnv1a32(bytes: Uint8Array): number {
  let hash = offset;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, prime);
  return hash >>> 0;
}

/** Returns the 32-bit FNV-1 hash: multiply, then XOR with each byte. */
export function fnv132(bytes: Uint8Array): number {
  let hash = offset;
  for (const byte of bytes) hash = Math.imul(hash, prime) ^ byte;
  return hash >>> 0;
}
