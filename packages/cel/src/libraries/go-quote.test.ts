import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { quote, quoteBytes } from "./go-quote.ts";

describe("quote", () => {
  it("keeps printable characters", () => {
    assert.equal(quote("plain text, 100%"), '"plain text, 100%"');
    assert.equal(quote("é 你 😀"), '"é 你 😀"');
  });

  it("escapes quotes, backslashes and characters that are not printable", () => {
    assert.equal(quote('a"b\\c'), String.raw`"a\"b\\c"`);
    assert.equal(quote("\x07\b\t\n\v\f\r"), String.raw`"\a\b\t\n\v\f\r"`);
    assert.equal(quote("\x00\x1f\x7f"), String.raw`"\x00\x1f\x7f"`);
    assert.equal(quote("\u00a0\u00ad\u2028\ue000"), String.raw`"\u00a0\u00ad\u2028\ue000"`);
    assert.equal(quote("\u{e0001}"), String.raw`"\U000e0001"`);
  });

  it("escapes every byte of invalid UTF-8", () => {
    assert.equal(quoteBytes("a\xf0\x9f"), String.raw`"a\xf0\x9f"`);
    assert.equal(quoteBytes("\xc3\xa9"), '"é"');
  });
});
