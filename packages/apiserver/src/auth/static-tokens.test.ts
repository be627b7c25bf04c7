import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ParseError } from "@homeostat/core";
import { fuzz } from "@homeostat/fuzz";
import { parseTokenFile, StaticTokens } from "./static-tokens.ts";

describe("parseTokenFile", () => {
  it("parses tokens, users, UIDs and groups", () => {
    const tokens = parseTokenFile('t1,ann,1\nt2,ben,2,"red,blue"\r\n\n"t,3","say ""hi""",,x');

    assert.deepEqual(tokens, [
      { token: "t1", user: "ann", uid: "1" },
      { token: "t2", user: "ben", uid: "2", groups: ["red", "blue"] },
      { token: "t,3", user: 'say "hi"', uid: "", groups: ["x"] },
    ]);
    assert.deepEqual(parseTokenFile(""), []);
  });

  const bad: [text: string, offset: number][] = [
    ["a,b", 0],
    ["a,b,c\nx,y\n", 6],
    ['a,b"c,d', 3],
    ['a,"b', 2],
    ['"a"b,c,d', 3],
  ];
  for (const [text, offset] of bad) {
    it(`reports the offset of the error in ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parseTokenFile(text),
        (error) => error instanceof ParseError && error.offset === offset,
      );
    });
  }

  it("only throws ParseError for malformed files", () => {
    const { accepted } = fuzz({
      count: 100_000,
      input: (chance) =>
        chance.mutate('t1,ann,1\nt2,ben,2,"red,blue"\n"x""y",z,3\n', [
          ",",
          '"',
          "\n",
          "\r\n",
          "\r",
          '""',
          "__proto__",
          "",
        ]),
      run: (text) => parseTokenFile(text),
      isExpected: (error) => error instanceof ParseError,
    });

    assert.ok(accepted > 1000 && accepted < 99_000, String(accepted));
  });
});

describe("StaticTokens", () => {
  it("find users by own properties only, and the last of equal tokens", () => {
    const tokens = new StaticTokens([
      { token: "a", user: "one" },
      { token: "a", user: "two" },
      { token: "", user: "nobody" },
    ]);

    assert.equal(tokens.find("a")?.name, "two");
    assert.deepEqual(
      ["", "b", "__proto__", "constructor"].map((token) => tokens.find(token)),
      [undefined, undefined, undefined, undefined],
    );
  });
});
