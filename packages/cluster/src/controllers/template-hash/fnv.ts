/** The offset basis of the 32 bit FNV hashes. */
const offset = 0x811c9dc5;
const prime = 0x01000193;

/** The 32 bit FNV-1a hash of bytes: combines with each byte first, then multiplies. */
export function fnv1a32(bytes: Uint8Array): number {
  let hash = offset;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, prime);
  return hash >>> 0;
}

/** The 32 bit FNV-1 hash of bytes: multiplies first, then combines with each byte. */
export function fnv132(bytes: Uint8Array): number {
  let hash = offset;
  for (const byte of bytes) hash = Math.imul(hash, prime) ^ byte;
  return hash >>> 0;
}
