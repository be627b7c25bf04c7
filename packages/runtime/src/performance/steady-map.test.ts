import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { SteadyMap } from "./steady-map.ts";

const key = fc.constantFrom("a", "b", "c", "d", "__proto__");
const step = fc.oneof(
  fc.record({ type: fc.constant("set"), key, value: fc.nat(9) }),
  fc.record({ type: fc.constantFrom("delete", "renew", "get"), key }),
);

describe("SteadyMap", () => {
  it("behaves like a Map whose keys can be moved to the end", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const map = new SteadyMap<string, number>();
        const model = new Map<string, number>();

        for (const each of steps) {
          const expected = model.get(each.key);
          if ("value" in each) {
            map.set(each.key, each.value);
            model.set(each.key, each.value);
          } else if (each.type === "delete") {
            assert.equal(map.delete(each.key), expected);
            model.delete(each.key);
          } else if (each.type === "renew") {
            assert.equal(map.moveToEnd(each.key), expected);
            if (model.delete(each.key) && expected !== undefined) model.set(each.key, expected);
          } else assert.equal(map.get(each.key), expected);

          assert.equal(map.size, model.size);
          assert.equal(map.has(each.key), model.has(each.key));
          assert.equal(map.firstKey, [...model.keys()][0]);
          assert.deepEqual([...map.keys()], [...model.keys()]);
          assert.deepEqual([...map.values()], [...model.values()]);
        }
      }),
    );
  });
});
