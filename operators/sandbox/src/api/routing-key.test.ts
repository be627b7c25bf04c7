import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/core";
import { generateRoutingKey, isBaselineKey, isRoutingKey } from "./routing-key.ts";

describe("isRoutingKey", () => {
  it("accepts 3 to 63 lower-case letters, digits and dashes", () => {
    for (const key of ["abc", "a-b", "0a1", "k".repeat(63), "a--b"]) assert.ok(isRoutingKey(key), key);
    for (const key of ["", "ab", "k".repeat(64), "-ab", "ab-", "aBc", "a.b", "a b", "abc\n", "äbc"]) {
      assert.ok(!isRoutingKey(key), JSON.stringify(key));
    }
  });
});

describe("isBaselineKey", () => {
  it("is true for the empty key and the reserved ones", () => {
    assert.deepEqual(["", "baseline", "production", "abc"].map(isBaselineKey), [true, true, true, false]);
  });
});

describe("generateRoutingKey", () => {
  it("returns different keys of 13 characters that start with a letter", () => {
    const random = new SeededRandom(7);

    const keys = Array.from({ length: 500 }, () => generateRoutingKey(random));

    assert.equal(new Set(keys).size, keys.length);
    for (const key of keys) assert.match(key, /^[a-z][a-z0-9]{12}$/);
    assert.ok(keys.every(isRoutingKey));
  });
});
