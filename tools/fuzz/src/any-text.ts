import fc from "fast-check";

const codePoint = fc.oneof(fc.nat(0x7f), fc.nat(0x7ff), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }));

/**
 * Texts of any code points, short and long in UTF-8 alike.
 *
 * Stands for `fc.string({ unit: "binary" })`, which first makes a table of all code points and takes a second for it.
 */
export const anyText: fc.Arbitrary<string> = fc
  .array(codePoint)
  .map((points) => points.map((point) => String.fromCodePoint(point)).join(""));
