import fc from "fast-check";

const codePoint = fc.oneof(fc.nat(0x7f), fc.nat(0x7ff), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }));

/**
 * Strings of any code points, with one to four bytes in UTF-8.
 *
 * Replaces `fc.string({ unit: "binary" })`, which takes a second to build a table of all code points.
 */
export const anyText: fc.Arbitrary<string> = fc
  .array(codePoint)
  .map((points) => points.map((point) => String.fromCodePoint(point)).join(""));
