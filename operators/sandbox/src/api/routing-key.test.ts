import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/core";
import { isRoutingKey } from "@homeostat/routing";
import {
  generateRoutingKey,
  isBaselineKey,
  routingKeyLengthMax,
  routingKeyLengthMin,
  routingKeyPattern,
} from "./routing-key.ts";

describe("the pattern of routing keys", () => {
  it("accepts the keys that proxies accept", () => {
    const keys = ["abc", "a-b", "0a1", "k".repeat(63), "a--b"];
    const others = ["", "ab", "k".repeat(64), "-ab", "ab-", "aBc", "a.b", "a b", "abc\n", "äbc"];
    const fits = (key: string): boolean =>
      key.length >= routingKeyLengthMin && key.length <= routingKeyLengthMax && new RegExp(routingKeyPattern).test(key);

    assert.ok(keys.every(isRoutingKey));
    for (const key of [...keys, ...others]) assert.equal(fits(key), isRoutingKey(key), JSON.stringify(key));
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
