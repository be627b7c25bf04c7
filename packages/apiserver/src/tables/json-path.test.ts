import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ParseError } from "@homeostat/core";
import { fuzz } from "@homeostat/fuzz";
import { JsonPath } from "./json-path.ts";

const object = {
  spec: { "a.b": 1, list: [{ name: "x", rank: 1 }, { name: "y", rank: 5, on: true }, { name: "z" }] },
  status: { deep: { rank: 9 } },
};

describe("JsonPath", () => {
  const cases: [string, unknown[]][] = [
    [".spec.list[0].name", ["x"]],
    [".spec.list[-1].name", ["z"]],
    [".spec.list[9].name", []],
    [".spec.list[*].name", ["x", "y", "z"]],
    [".spec.list[1:].name", ["y", "z"]],
    [".spec.list[0:3:2].name", ["x", "z"]],
    ['.spec.list[?(@.name=="y")].rank', [5]],
    [".spec.list[?(@.rank>=1)].name", ["x", "y"]],
    [".spec.list[?(@.rank != 1)].name", ["y"]],
    [".spec.list[?(@.on==true)].name", ["y"]],
    [".spec.list[?(@.rank)].name", ["x", "y"]],
    [".spec.a\\.b", [1]],
    [".spec['a.b']", [1]],
    ["..rank", [1, 5, 9]],
    [".spec.none.more", []],
    [".spec.list[0]['name','rank']", ["x", 1]],
    [".toString", []],
  ];
  for (const [path, want] of cases) {
    it(`follows ${path}`, () => {
      const found = JsonPath.parse(path).find(object);

      assert.deepEqual(new Set(found), new Set(want));
      assert.equal(found.length, want.length);
    });
  }

  it("throws only ParseError for random input", () => {
    const { accepted } = fuzz({
      count: 100_000,
      seed: 11,
      input: (chance) =>
        chance.mutate(chance.pick(cases)[0], [
          ".",
          "..",
          "[",
          "]",
          "[?(",
          ")]",
          "@",
          "'",
          '"',
          "*",
          ":",
          "-",
          "9",
          "==",
          "\\",
          "__proto__",
        ]),
      run: (text) => JsonPath.parse(text).find(object),
      isExpected: (error) => error instanceof ParseError && error.offset <= error.input.length,
    });

    assert.ok(accepted > 1000);
  });
});
