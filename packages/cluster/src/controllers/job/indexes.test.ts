import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { firstMissing, formatIndexes, hasIndex, indexesFrom, overlap, parseIndexes, sizeOf, union } from "./indexes.ts";

const numbers = fc.array(fc.nat(60), { maxLength: 40 });

describe("index sets", () => {
  it("are formatted with commas for one and two indexes, with a dash for more", () => {
    assert.equal(formatIndexes(indexesFrom([7, 1, 3, 4, 5, 9, 10])), "1,3-5,7,9,10");
    assert.equal(formatIndexes([]), "");
  });

  it("are parsed up to the number of completions", () => {
    assert.deepEqual(parseIndexes("0,2-9,12", 6), [
      { first: 0, last: 0 },
      { first: 2, last: 5 },
    ]);
    assert.deepEqual(parseIndexes("x,1-y,3", 6), [{ first: 3, last: 3 }]);
  });

  it("are equal after formatting and parsing", () => {
    fc.assert(
      fc.property(numbers, (some) => {
        const set = indexesFrom(some);

        assert.deepEqual(parseIndexes(formatIndexes(set), 100), set);
      }),
    );
  });

  it("behave like sets", () => {
    fc.assert(
      fc.property(numbers, numbers, (some, others) => {
        const [a, b] = [indexesFrom(some), indexesFrom(others)];
        const common = new Set(some.filter((one) => others.includes(one)));

        assert.equal(sizeOf(union(a, b)), new Set([...some, ...others]).size);
        assert.equal(overlap(a, b), common.size);
        for (let index = 0; index <= 61; index += 1) assert.equal(hasIndex(a, index), some.includes(index));
      }),
    );
  });

  it("return the lowest missing indexes", () => {
    fc.assert(
      fc.property(numbers, fc.nat(20), fc.nat(70), (some, count, completions) => {
        const missing = firstMissing(indexesFrom(some), { count, completions });
        const all = Array.from({ length: completions }, (_, index) => index).filter((index) => !some.includes(index));

        assert.deepEqual(missing, all.slice(0, count));
      }),
    );
  });
});
