import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { anyText } from "@homeostat/fuzz/any-text";
import fc from "fast-check";
import { codePointLength, utf8Length } from "./utf8.ts";

const halves = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\ud83d", "\ude00"), maxLength: 12 });

describe("utf8Length and codePointLength", () => {
  it("count bytes of UTF-8", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, halves), (text) => {
        assert.equal(utf8Length(text), Buffer.byteLength(text));
      }),
    );
  });

  it("count code points", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, halves), (text) => {
        assert.equal(codePointLength(text), Array.from(text).length);
      }),
    );
  });
});
