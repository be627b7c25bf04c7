import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { comparablePath } from "./path.ts";

const cases: readonly [target: string, path: string | undefined][] = [
  ["/", "/"],
  ["/a/b", "/a/b"],
  ["/a?b=/c", "/a"],
  ["/a#b", "/a"],
  ["/a#b?c", "/a"],
  ["/a?b#c", "/a"],
  ["/a/./b", "/a/b"],
  ["/a/../b", "/b"],
  ["/../a", "/a"],
  ["/a/..", "/"],
  ["/a/.", "/a/"],
  ["/a/b/..", "/a/"],
  ["/.hidden", "/.hidden"],
  ["/..a/b", "/..a/b"],
  ["/a//b", "/a//b"],
  ["/a/..//b", "//b"],
  ["/%2e%2e/a", "/%2e%2e/a"],
  ["/a%20b", "/a%20b"],
  ["/a%2fb", undefined],
  ["/a%2Fb", undefined],
  ["/a%00", undefined],
  ["/a\0", undefined],
  ["/a%", "/a%"],
  ["/a?b=%2f", "/a"],
  ["*", undefined],
  ["", undefined],
  ["http://shop/a", undefined],
];

describe("comparablePath", () => {
  for (const [target, path] of cases) {
    it(`of ${JSON.stringify(target)} is ${JSON.stringify(path)}`, () => assert.equal(comparablePath(target), path));
  }

  it("removes dot segments as URL does", () => {
    const segments = fc.array(fc.constantFrom("a", "b", ".", "..", "...", ""), { maxLength: 8 });

    fc.assert(
      fc.property(segments, (list) => {
        const path = `/${list.join("/")}`;

        assert.equal(comparablePath(path), new URL(`http://shop${path}`).pathname);
      }),
    );
  });
});
