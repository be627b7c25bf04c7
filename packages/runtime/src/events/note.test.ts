import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { formatNote, noteBytesMax, utf8Bytes } from "./note.ts";

describe("formatNote", () => {
  it("leaves plain text of any language as it is", () => {
    for (const text of ["", "The job was created.", "Größe 12 µm", "作成しました", "👩‍🚀"])
      assert.equal(formatNote(text), text);
  });

  it("shows what would move a cursor or hide text as escapes", () => {
    assert.equal(
      formatNote("a\nb\tc\r\u001b[31m\u0000\u009b\u2028\u202e"),
      "a\\nb\\tc\\r\\u001b[31m\\u0000\\u009b\\u2028\\u202e",
    );
    assert.equal(formatNote("half \ud83d pair"), "half \ufffd pair");
  });

  it("cuts between characters, at 1,024 bytes", () => {
    assert.equal(formatNote("x".repeat(1024)), "x".repeat(1024));
    assert.equal(formatNote("x".repeat(1025)), `${"x".repeat(1021)}…`);
    assert.equal(formatNote("👍".repeat(257)), `${"👍".repeat(255)}…`);
  });

  it("never exceeds the limit, and is whole and free of control characters, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 3000, size: "max" }), (text) => {
        const note = formatNote(text);

        const bytes = Buffer.byteLength(note);
        assert.equal(utf8Bytes(note), bytes);
        assert.ok(bytes <= noteBytesMax);
        assert.doesNotMatch(note, /\p{Cc}|\p{Cs}/u);
      }),
      { numRuns: 500 },
    );
  });

  it("takes no longer for a text of many megabytes", () => {
    const text = "\u0007".repeat(20_000_000);
    const times = [1, 2, 3, 4, 5].map(() => {
      const before = performance.now();
      formatNote(text);
      return performance.now() - before;
    });

    // The least of five: a busy machine slows some, reading all of the text slows each.
    assert.ok(Math.min(...times) < 100, `${times.join(", ")} ms`);
  });
});
