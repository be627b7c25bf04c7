import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cpuMs } from "@homeostat/fuzz/cpu-time";
import { globProblem, matchesGlob } from "./glob.ts";

describe("globs", () => {
  const rows: readonly (readonly [glob: string, matches: readonly string[], others: readonly string[]])[] = [
    ["checkout-*", ["checkout-", "checkout-v2"], ["checkout", "a-checkout-"]],
    ["*", ["", "a", "a/b"], []],
    ["", [""], ["a"]],
    ["a?c", ["abc", "a/c"], ["ac", "abbc"]],
    ["v[0-9]", ["v1"], ["va", "v", "v12"]],
    ["[!a-c]x", ["dx", "-x"], ["ax", "x"]],
    ["[^a]", ["b"], ["a"]],
    ["[a-]", ["a", "-"], ["b"]],
    ["*.shop", ["db.shop", ".shop"], ["db.shop.svc"]],
    ["**a**", ["a", "bab"], ["b"]],
    ["a*b*c", ["abc", "a1b2c", "abbcc"], ["acb", "ab"]],
    ["registry.example.com/*", ["registry.example.com/team/cart:1"], ["registry.example.com"]],
    ["a.b", ["a.b"], ["axb"]],
    ["ü?", ["ü😀"], ["ü"]],
    ["web", ["web"], ["", "we", "webs", "Web"]],
    ["v?.?", ["v1.2"], ["v12", "v1.22"]],
    ["v[0-9a-f]x", ["v0x", "vfx"], ["vgx"]],
    ["(a|b)", ["(a|b)"], ["a"]],
  ];
  for (const [glob, matches, others] of rows) {
    it(`match whole texts (${glob})`, () => {
      for (const text of matches) assert.ok(matchesGlob(glob, text), text);
      for (const text of others) assert.ok(!matchesGlob(glob, text), text);
    });
  }

  it("have problems if a set is malformed, and match nothing then", () => {
    assert.deepEqual(["a[", "[]", "[!]", "[z-a]", "[a]"].map(globProblem), [
      "has a [ without a ]",
      "has an empty set []",
      "has an empty set []",
      "has the reversed range z-a",
      undefined,
    ]);
    assert.ok(!matchesGlob("a[", "a["));
  });

  it("match without backtracking over all stars", () => {
    const glob = "*a".repeat(100);

    const usedMs = cpuMs(() => assert.ok(!matchesGlob(`${glob}b`, "a".repeat(10_000))));

    assert.ok(usedMs < 2000, String(usedMs));
  });
});
