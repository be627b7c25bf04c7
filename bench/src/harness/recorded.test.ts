import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compare, formatComparison, readRecorded } from "./recorded.ts";

describe("the check against recorded ratios", () => {
  it("classifies cases as worse, better, same and not recorded", () => {
    const recorded = { slow: 1, fast: 1, same: 1 };

    const { worse, better, same, unknown } = compare(recorded, { slow: 1.4, fast: 0.5, same: 1.2, new: 3 }, 0.35);

    assert.deepEqual(
      worse.map(({ name, factor }) => [name, factor]),
      [["slow", 1.4]],
    );
    assert.deepEqual(
      better.map(({ name }) => name),
      ["fast"],
    );
    assert.deepEqual(
      same.map(({ name }) => name),
      ["same"],
    );
    assert.deepEqual(unknown, ["new"]);
  });

  it("does not confuse a name with a property of Object.prototype", () => {
    assert.deepEqual(compare({}, { constructor: 1 }, 0.35).unknown, ["constructor"]);
  });

  it("lists cases that got worse", () => {
    const text = formatComparison(compare({ "core/equality": 2 }, { "core/equality": 4 }, 0.35), 0.35);

    assert.match(text, /WORSE:\n {2}2\.00× {2}core\/equality/);
  });

  it("rejects a file that is not a map of numbers", () => {
    assert.deepEqual(readRecorded('{"a":1}'), { a: 1 });
    assert.throws(() => readRecorded("[]"));
    assert.throws(() => readRecorded('{"a":"1"}'));
  });
});
