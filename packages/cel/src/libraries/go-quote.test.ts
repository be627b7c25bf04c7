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

  it("replaces unpaired surrogates, which Go cannot decode", () => {
    assert.equal(quote("\ud800a\udc00\ud83d"), '"\ufffda\ufffd\ufffd"');
  });

  it("quotes a long text like its characters one by one", () => {
    const characters = ["a", "\\", '"', "\n", "\u0001", "\u007f", "é", "語", "\u00a0", "😀", "\u{e0001}", "\ud800"];
    const repeated = Array.from({ length: 3000 }, (_, at) => characters[(at * 7) % characters.length] ?? "");

    const quoted = repeated.map((character) => quote(character).slice(1, -1));

    // Shifted by one character each time, so that every kind of character is the last of a chunk once.
    for (let shift = 0; shift < characters.length; shift += 1) {
      const text = "a".repeat(shift) + repeated.join("");
      assert.equal(quote(text), `"${"a".repeat(shift)}${quoted.join("")}"`);
    }
  });

  it("escapes every byte of invalid UTF-8", () => {
    assert.equal(quoteBytes("a\xf0\x9f"), String.raw`"a\xf0\x9f"`);
    assert.equal(quoteBytes("\xc3\xa9"), '"é"');
  });
});
