import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cpuMs } from "@homeostat/fuzz/cpu-time";
import * as fc from "fast-check";
import { formatNote, noteBytesMax, utf8Bytes } from "./note.ts";

describe("formatNote", () => {
  it("leaves plain text of any language unchanged", () => {
    for (const text of ["", "The job was created.", "Größe 12 µm", "作成しました", "👩‍🚀"])
      assert.equal(formatNote(text), text);
  });

  it("escapes characters that would move the cursor or hide text", () => {
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

  it("returns valid text without control characters within the limit, for any input", () => {
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

  it("takes constant time for a text of many megabytes", () => {
    const text = "\u0007".repeat(20_000_000);
    const times = [1, 2, 3, 4, 5].map(() => cpuMs(() => formatNote(text)));

    // The minimum of five: garbage collection slows some of them, reading the whole text would slow all.
    assert.ok(Math.min(...times) < 100, `${times.join(", ")} ms`);
  });
});
