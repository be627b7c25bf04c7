/** Number of equal parts that a split divides requests into: one for each hundredth of a percent. */
export const bucketCount = 10_000;

/**
 * Returns the part, from 0 to 9999, that a value belongs to. A route with 25 percent gets the parts 0 to 2499.
 *
 * The hash is part of the API: proxies of different versions, and programs in other languages, must put a caller on the same side. It is FNV-1a with
 * 32 bits over the bytes of the value, mixed by the finalizer of MurmurHash3 and reduced modulo 10000. FNV-1a alone distributes short texts unevenly.
 * The table in `docs/reference/routing.md` has examples.
 */
export function stickyBucket(value: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < value.length; at += 1) {
    hash = Math.imul(hash ^ value.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % bucketCount;
}
