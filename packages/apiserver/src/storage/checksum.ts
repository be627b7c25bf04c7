/** Four tables, so that four bytes are taken at a step. */
const tables = makeTables();

/**
 * CRC-32 of bytes, as zip and Ethernet have it; continues from `seed`, which is another checksum or a number of one's own.
 *
 * Finds any burst of damage up to four bytes long, and all but one in four milliards of the rest.
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
