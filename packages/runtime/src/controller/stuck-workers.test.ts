import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeStuck } from "./stuck-workers.ts";

describe("describeStuck", () => {
  it("names up to five keys, and counts the others", () => {
    const stuck = Array.from({ length: 7 }, (_, index) => ({ key: `shop/s${index}`, runningMs: 61_900 }));

    assert.equal(describeStuck(stuck.slice(0, 1)), "shop/s0 for 61 s");
    assert.equal(
      describeStuck(stuck),
      "shop/s0 for 61 s, shop/s1 for 61 s, shop/s2 for 61 s, shop/s3 for 61 s, shop/s4 for 61 s and 2 more",
    );
  });
});
