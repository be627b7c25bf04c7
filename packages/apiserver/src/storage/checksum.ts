/** Lookup tables for the slicing-by-4 algorithm, which processes four bytes per step. */
const tables = makeTables();

/**
 * Computes the CRC-32 of bytes with the polynomial of zip and Ethernet.
 *
 * `seed` is the checksum of preceding bytes, to continue it, or any number that must influence the result, such as the
 * salt of a file.
 *
 * CRC-32 detects every burst of damage of up to four bytes. Other damage goes undetected with a probability of one in
 * 2^32.
 */
export function checksum(bytes: Uint8Array, seed = 0): number {
  const [t0, t1, t2, t3] = tables;
  let crc = ~seed;
  let at = 0;
  for (const end = bytes.length - 3; at < end; at += 4) {
    crc ^= (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
    crc =
      (t3[crc & 0xff] ?? 0) ^ (t2[(crc >>> 8) & 0xff] ?? 0) ^ (t1[(crc >>> 16) & 0xff] ?? 0) ^ (t0[crc >>> 24] ?? 0);
  }
  for (; at < bytes.length; at += 1) crc = (t0[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

function makeTables(): readonly [Int32Array, Int32Array, Int32Array, Int32Array] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
    return crc;
  });
  const further = (before: Int32Array): Int32Array => before.map((crc) => (first[crc & 0xff] ?? 0) ^ (crc >>> 8));
  const second = further(first);
  const third = further(second);
  return [first, second, third, further(third)];
}
