import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { anyText } from "@homeostat/fuzz/any-text";
import fc from "fast-check";
import { fromByteText, toByteText } from "./utf8-text.ts";

describe("byte strings", () => {
  it("contain the UTF-8 bytes of a string and decode to it", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const bytes = toByteText(text);

        assert.deepEqual(Buffer.from(bytes, "latin1"), Buffer.from(text, "utf8"));
        assert.equal(fromByteText(bytes), text);
      }),
    );
  });

  it("decode every invalid byte to one replacement character", () => {
    assert.equal(fromByteText("a\xff\xfeb"), "a\ufffd\ufffdb");
    assert.equal(fromByteText("\xe4\xbd"), "\ufffd\ufffd", "a character that is cut off");
    assert.equal(fromByteText("\xc0\xaf"), "\ufffd\ufffd", "a slash written too long");
    assert.equal(fromByteText("\xed\xa0\x80"), "\ufffd\ufffd\ufffd", "half of a surrogate pair");
    assert.equal(fromByteText("\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd", "beyond the last code point");
  });

  it("encode an unpaired surrogate as the replacement character", () => {
    assert.equal(fromByteText(toByteText("a\ud800b")), "a\ufffdb");
  });
});
