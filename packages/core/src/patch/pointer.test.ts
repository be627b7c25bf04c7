import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import * as fc from "fast-check";
import { ParseError } from "../errors/parse-error.ts";
import { formatPointer, parsePointer, readPointer, withPointer } from "./pointer.ts";

describe("JSON pointers", () => {
  // The document and the results of RFC 6901, section 5.
  const document = {
    foo: ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
  };
  const published: [string, unknown][] = [
    ["", document],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/e^f", 3],
    ["/g|h", 4],
    ["/i\\j", 5],
    ['/k"l', 6],
    ["/ ", 7],
    ["/m~0n", 8],
  ];
  for (const [pointer, expected] of published) {
    it(`resolve ${JSON.stringify(pointer)} as in RFC 6901`, () => {
      assert.deepEqual(readPointer(document, pointer), expected);
    });
  }

  it("decode ~01 to ~1, not to a slash", () => {
    assert.deepEqual(parsePointer("/~01"), ["~1"]);
  });

  it("find no inherited properties, no index beyond the end, and nothing in a scalar", () => {
    const value = { list: [1], text: "abc" };

    for (const pointer of [
      "/constructor",
      "/__proto__",
      "/list/length",
      "/list/1",
      "/list/-",
      "/list/00",
      "/list/+0",
      "/text/0",
      "/text/length",
      "/a/b/c",
    ]) {
      assert.equal(readPointer(value, pointer), undefined, pointer);
    }
  });

  it("report the position of a syntax error", () => {
    assert.throws(() => parsePointer("spec"), { name: "ParseError", what: "JSON pointer", offset: 0 });
    assert.throws(() => parsePointer("/a~2"), { name: "ParseError", offset: 2 });
    assert.throws(() => parsePointer("/a/b~"), { name: "ParseError", offset: 4 });
  });

  it("round-trip for any steps", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (steps) => {
        assert.deepEqual(parsePointer(formatPointer(steps)), steps);
      }),
    );
  });

  it("are parsed or refused with a ParseError for any text", () => {
    const { accepted } = fuzz({
      count: 100_000,
      seed: 6901,
      input: (chance) =>
        chance.mutate(chance.pick(["/spec/ports/0", "", "/a~1b/m~0n", "/__proto__/x", "/".repeat(50)]), [
          "/",
          "~",
          "~0",
          "~1",
          "~2",
          "\u0000",
          "é",
          "\ud800",
          "__proto__",
          "1e9",
        ]),
      run: (text) => {
        assert.equal(formatPointer(parsePointer(text)), text);
        readPointer({ a: [] }, text);
      },
      isExpected: (error) => error instanceof ParseError && error.offset <= error.input.length,
    });

    assert.ok(accepted > 10_000 && accepted < 90_000, `${accepted} accepted`);
  });
});

describe("withPointer", () => {
  it("sets, replaces and removes a value, and keeps the argument unchanged", () => {
    const record = { a: { b: 1, c: 2 }, d: 3 };

    assert.deepEqual(withPointer(record, ["a", "b"], 5), { a: { b: 5, c: 2 }, d: 3 });
    assert.deepEqual(withPointer(record, ["a", "b"], undefined), { a: { c: 2 }, d: 3 });
    assert.deepEqual(withPointer(record, ["d"], undefined), { a: { b: 1, c: 2 } });
    assert.deepEqual(withPointer(record, ["x", "y", "z"], null), { ...record, x: { y: { z: null } } });
    assert.deepEqual(record, { a: { b: 1, c: 2 }, d: 3 });
  });

  it("returns the same object when there is nothing to remove", () => {
    assert.deepEqual(withPointer({ a: 1 }, ["x", "y"], undefined), { a: 1 });
    assert.deepEqual(withPointer({ a: 1 }, ["a", "y"], undefined), { a: 1 });
  });

  it("replaces a value on the path that is not an object", () => {
    assert.deepEqual(withPointer({ a: [1] }, ["a", "b"], 2), { a: { b: 2 } });
  });

  it("treats __proto__ as an ordinary key", () => {
    const result = withPointer({}, ["__proto__", "polluted"], true);

    assert.deepEqual(Object.keys(result), ["__proto__"]);
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
  });
});
