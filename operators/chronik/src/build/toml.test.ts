import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { toToml, type TomlTable } from "./toml.ts";

describe("toToml", () => {
  it("writes values before tables, both sorted", () => {
    const table = { z: { b: 1, a: true }, y: "text", x: { inner: { c: [1, 2] } }, a: 1.5, empty: {} };

    assert.equal(
      toToml(table),
      ["a = 1.5", 'y = "text"', "", "[empty]", "", "[x.inner]", "c = [1, 2]", "", "[z]", "a = true", "b = 1", ""].join(
        "\n",
      ),
    );
  });

  const scalars: readonly [string, TomlTable[string], string][] = [
    ["an integer", 42, "42"],
    ["a negative integer", -1, "-1"],
    ["a large number", 1e21, "1e21"],
    ["a small number", 1e-7, "1e-7"],
    ["a number beyond exact integers", 2 ** 60, "1152921504606847000.0"],
    ["infinity", Number.NEGATIVE_INFINITY, "-inf"],
    ["no number", Number.NaN, "nan"],
    ["quotes and backslashes", String.raw`a"b\c`, String.raw`"a\"b\\c"`],
    ["line breaks and tabs", "a\nb\tc\r", String.raw`"a\nb\tc\r"`],
    ["control characters", "\u0000\u001B\u007F", String.raw`"\u0000\u001B\u007F"`],
    ["an unpaired surrogate", "a\uD800b", '"a\uFFFDb"'],
    ["other characters", "ä€😀", '"ä€😀"'],
    ["a table in a list", [{ b: 1, a: "x" }], '[{ a = "x", b = 1 }]'],
    ["an empty list", [], "[]"],
  ];
  for (const [name, value, expected] of scalars) {
    it(`writes ${name}`, () => assert.equal(toToml({ key: value }), `key = ${expected}\n`));
  }

  it("quotes keys that are not bare", () => {
    assert.equal(toToml({ "max.size": 1, "": 2, ä: 3 }), '"" = 2\n"max.size" = 1\n"ä" = 3\n');
    assert.equal(toToml({ "a.b": { c: 1 } }), '["a.b"]\nc = 1\n');
  });

  it("writes the same bytes for any order of keys", () => {
    const values = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean()));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), values), (table) => {
        const reversed = Object.fromEntries(
          Object.entries(table)
            .toReversed()
            .map(([key, value]) => [key, Object.fromEntries(Object.entries(value).toReversed())]),
        );

        assert.equal(toToml(reversed), toToml(table));
      }),
      { numRuns: 200 },
    );
  });

  it("writes strings that read back as the same text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const written = toToml({ key: text });

        assert.equal(written.split("\n").length, 2, "one line");
        // Apart from the escape of DEL, basic strings of TOML are JSON strings.
        assert.equal(JSON.parse(written.slice("key = ".length)), text.replaceAll(/\p{Cs}/gu, "\uFFFD"));
      }),
      { numRuns: 500 },
    );
  });
});
