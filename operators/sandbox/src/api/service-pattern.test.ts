import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { matchesServicePattern, parseServicePattern } from "./service-pattern.ts";

describe("patterns of Services", () => {
  const db = { service: "db", namespace: "shop", port: 5432 };
  const rows: readonly (readonly [pattern: string, home: string, matches: boolean])[] = [
    ["db", "shop", true],
    ["db", "other", false],
    ["db.shop", "other", true],
    ["d*", "shop", true],
    ["*.*", "other", true],
    ["db.s?op:5432", "other", true],
    ["db:5433", "shop", false],
    ["d.shop", "shop", false],
    ["db.shop.svc", "shop", false],
    ["d[", "shop", false],
  ];
  for (const [pattern, home, matches] of rows) {
    it(`${matches ? "match" : "do not match"} (${pattern} of ${home})`, () => {
      assert.equal(matchesServicePattern(pattern, db, home), matches);
    });
  }

  it("have problems if they are not of the documented form", () => {
    for (const text of ["", ".", "a.", "a:b", "a:0", "a:70000", "a b", "http://a", "10.0.0.1", "a.[", "::1"]) {
      assert.ok("problem" in parseServicePattern(text), text);
    }
    assert.deepEqual(parseServicePattern("a.b:80"), { service: "a", namespace: "b", port: 80 });
  });
});
