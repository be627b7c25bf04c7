import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Remembered } from "./remembered.ts";
import { labelValues, selectorValue } from "./selector-index.ts";

describe("the selector index", () => {
  it("indexes each selector under a value of every object that it matches", () => {
    const labels = fc.dictionary(fc.constantFrom("a", "bb", "c.d/e"), fc.constantFrom("", "1", "22"));
    let matched = 0;
    fc.assert(
      fc.property(labels, labels, (selector, object) => {
        const isMatch = Object.entries(selector).every(([key, value]) => object[key] === value);
        if (!isMatch) return;
        matched += 1;
        assert.ok(labelValues("team", object).includes(selectorValue("team", selector)));
        assert.ok(!labelValues("other", object).includes(selectorValue("team", selector)));
      }),
      { numRuns: 500 },
    );

    assert.ok(matched > 20, `${matched} matches`);
  });

  it("uses the longest pair, whatever the order of the labels", () => {
    assert.equal(selectorValue("team", { app: "locust", instance: "checkout-17" }), "team/instance=checkout-17");
    assert.equal(selectorValue("team", { b: "1", a: "1" }), selectorValue("team", { a: "1", b: "1" }));
    assert.equal(selectorValue("team", undefined), "team/");
  });
});

describe("Remembered", () => {
  it("removes entries of deleted objects, and visits each entry a constant number of times", () => {
    const remembered = new Remembered<number>();
    let looks = 0;
    const exists = (key: string): boolean => {
      looks += 1;
      return Number(key) % 2 === 0;
    };

    for (let n = 0; n < 20_000; n += 1) remembered.set(String(n), n, exists);

    assert.ok(looks < 4 * 20_000, `${looks} looks`);
    assert.ok(remembered.size < 20_000, `${remembered.size} entries`);
    assert.equal(remembered.get("2"), 2);
    assert.equal(remembered.get("3"), undefined);
  });
});
