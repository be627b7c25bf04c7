import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cutText, oneLine, quoteText } from "./text.ts";

describe("cutText", () => {
  it("keeps short texts and marks truncated ones", () => {
    assert.equal(cutText("abc", 3), "abc");
    assert.equal(cutText("abcd", 3), "ab…");
  });

  it("never splits a surrogate pair", () => {
    assert.equal(cutText("a😀bc", 3), "a…");
    assert.equal(cutText("a😀bc", 4), "a😀…");
  });
});

describe("oneLine", () => {
  it("replaces line breaks and control characters by spaces", () => {
    assert.equal(oneLine(" a\r\n\tb\u0000\u001b[31mc\u2028d ", 80), "a b [31mc d");
  });

  it("uses only the beginning of a long text, and marks it as truncated", () => {
    assert.equal(oneLine(`a${" ".repeat(1000)}b`, 10), "a…");
  });
});

describe("quoteText", () => {
  it("escapes control characters and quotes", () => {
    assert.equal(quoteText('a"\n\u0000'), String.raw`"a\"\n\u0000"`);
  });

  it("truncates a long text", () => {
    assert.equal(quoteText("x".repeat(1000)).length, 258);
    assert.equal(quoteText("abcdef", 4), '"abc…"');
  });
});
