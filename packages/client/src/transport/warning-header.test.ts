import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import fc from "fast-check";
import { parseWarnings } from "./warning-header.ts";

describe("parseWarnings", () => {
  const cases: [string, string[]][] = [
    ['299 - "old"', ["old"]],
    ['299 - "a", 299 - "b, c"', ["a", "b, c"]],
    ['299 - "say \\"yes\\" \\\\ no"', ['say "yes" \\ no']],
    ['299 server:443 "old" "Thu, 01 Jan 2026 00:00:00 GMT", 299 - "b"', ["old", "b"]],
    ['299 - "caf\u00c3\u00a9"', ["café"]],
    ['299 - "caf\u00e9"', ["café"]],
    ['299 - "a", nonsense, 299 - "b"', ["a"]],
    ['299 - "never closed', []],
    ["", []],
    ['29 - "x"', []],
  ];
  for (const [header, texts] of cases) {
    it(`reads ${JSON.stringify(header)}`, () => {
      assert.deepEqual(
        parseWarnings(header).map(({ text }) => text),
        texts,
      );
    });
  }

  it("round-trips any text", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme-ascii" }), { minLength: 1, maxLength: 5 }), (texts) => {
        const header = texts.map((text) => `299 - "${text.replace(/["\\]/g, "\\$&")}"`).join(", ");

        assert.deepEqual(
          parseWarnings(header).map(({ text }) => text),
          texts,
        );
      }),
    );
  });

  it("parses mangled headers quickly and without an error, including long ones", () => {
    const valid = ['299 - "old"', '299 - "a", 299 a "b" "c"', `299 - "${'\\"'.repeat(2000)}"`, "299 - ".repeat(500)];
    const pieces = ['"', "\\", ",", " ", "299", "-", "\t".repeat(100), '\\"', "\u00ff", "\ud800"];

    fuzz({
      count: 100_000,
      input: (chance) => chance.mutate(chance.pick(valid), pieces),
      run: parseWarnings,
      isExpected: () => false,
    });
  });
});
