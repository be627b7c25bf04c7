import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import * as fc from "fast-check";
import { ParseError } from "../errors/parse-error.ts";
import { formatPointer, parsePointer, readPointer } from "./pointer.ts";

describe("JSON pointers", () => {
  // The document and the answers of RFC 6901, section 5.
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
    it(`read ${JSON.stringify(pointer)} as RFC 6901 does`, () => {
      assert.deepEqual(readPointer(document, pointer), expected);
    });
  }

  it("turn ~01 into ~1, not into a slash", () => {
    assert.deepEqual(parsePointer("/~01"), ["~1"]);
  });

  it("find nothing that is inherited, past the end, or under a scalar", () => {
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

  it("name the place of a mistake", () => {
    assert.throws(() => parsePointer("spec"), { name: "ParseError", what: "JSON pointer", offset: 0 });
    assert.throws(() => parsePointer("/a~2"), { name: "ParseError", offset: 2 });
    assert.throws(() => parsePointer("/a/b~"), { name: "ParseError", offset: 4 });
  });

  it("survive being printed and read, for any steps", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (steps) => {
        assert.deepEqual(parsePointer(formatPointer(steps)), steps);
      }),
    );
  });

  it("are read or refused with a ParseError, whatever the text", () => {
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
