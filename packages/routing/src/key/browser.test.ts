import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withoutCookies } from "../request/cookies.ts";
import { withoutParameters } from "../request/query-parameters.ts";
import { keyCookie, keyParameter, readKeyCookie, readKeyParameter } from "./browser.ts";

describe("the cookie of the key", () => {
  const cases: readonly [cookies: string, key: string | undefined, rest: string | undefined][] = [
    ["sandbox-routing-key=abc", "abc", undefined],
    ["a=1; sandbox-routing-key=abc; b=2", "abc", "a=1; b=2"],
    ["a=1;sandbox-routing-key=abc", "abc", "a=1"],
    ["sandbox-routing-key=abc; a=1", "abc", "a=1"],
    ["sandbox-routing-key=abc; sandbox-routing-key=def", "abc", undefined],
    ["sandbox-routing-key=", "", undefined],
    ["sandbox-routing-key", undefined, "sandbox-routing-key"],
    ["x-sandbox-routing-key=abc", undefined, "x-sandbox-routing-key=abc"],
    ["a=sandbox-routing-key=abc", undefined, "a=sandbox-routing-key=abc"],
  ];
  for (const [cookies, key, rest] of cases) {
    it(`is read from and removed from ${JSON.stringify(cookies)}`, () => {
      assert.equal(readKeyCookie({ get: () => cookies }), key);
      assert.equal(withoutCookies(cookies, [keyCookie]), rest);
    });
  }

  it("is read from split cookies", () => {
    assert.equal(readKeyCookie({ get: () => ["a=1", "sandbox-routing-key=abc"] }), "abc");
  });
});

describe("the query parameter of the key", () => {
  const cases: readonly [path: string, key: string | undefined, rest: string][] = [
    ["/", undefined, "/"],
    ["/?routing-key=abc", "abc", "/"],
    ["/?a=1&routing-key=abc&b=%20", "abc", "/?a=1&b=%20"],
    ["/?routing-key=abc&routing-key=def&a", "abc", "/?a"],
    ["/?routing-key=%61bc", "abc", "/"],
    ["/?routing-key", "", "/"],
    ["/?x-routing-key=abc", undefined, "/?x-routing-key=abc"],
    ["/?a=routing-key", undefined, "/?a=routing-key"],
    ["/routing-key=abc", undefined, "/routing-key=abc"],
    ["/routing-key=abc?a=1", undefined, "/routing-key=abc?a=1"],
    ["/?a=1&&routing-key=abc", "abc", "/?a=1&"],
  ];
  for (const [path, key, rest] of cases) {
    it(`is read from and removed from ${path}`, () => {
      assert.equal(readKeyParameter(path), key);
      assert.equal(withoutParameters(path, [keyParameter]), rest);
    });
  }
});
