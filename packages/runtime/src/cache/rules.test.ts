import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { standardRules as rules } from "./rules.ts";

const same = (version: number | undefined) => ({ version, isSameUid: true });
const other = (version: number | undefined) => ({ version, isSameUid: false });

describe("the rules for events of a watch", () => {
  const cases = [
    ["an object nobody knew", "ADDED", 7, undefined, 5, "insert"],
    ["a change of an object that has just come into the selection", "MODIFIED", 7, undefined, 5, "insert"],
    ["a newer version", "MODIFIED", 7, same(5), 6, "replace"],
    ["the echo of an own write", "MODIFIED", 7, same(7), 6, "confirm"],
    ["a foreign version below an own write", "MODIFIED", 7, same(9), 6, "superseded"],
    ["a new object of an old name", "ADDED", 7, other(5), 6, "recreate"],
    ["the one before an object that we made ourselves", "MODIFIED", 7, other(9), 6, "superseded"],
    ["a deletion", "DELETED", 7, same(5), 6, "remove"],
    ["the deletion of what was never here", "DELETED", 7, undefined, 6, "ignore"],
    ["the deletion of the one before an object that we made ourselves", "DELETED", 7, other(9), 6, "superseded"],
    ["the deletion of a later one, whose beginning was not told", "DELETED", 7, other(5), 6, "remove"],
    ["leaving the selection before an own write", "DELETED", 7, same(9), 6, "superseded"],
    ["leaving the selection by an own write", "DELETED", 7, same(7), 6, "remove"],
    ["what was told before", "MODIFIED", 5, same(5), 6, "ignore"],
    ["what was told before and has been deleted since", "ADDED", 5, undefined, 6, "ignore"],
    ["a deletion that was told before", "DELETED", 5, other(6), 6, "ignore"],
    ["a deletion that repeats the version of the object", "DELETED", 5, same(5), 6, "remove"],
    [
      "a change, of a server whose versions are no numbers",
      "MODIFIED",
      undefined,
      same(undefined),
      undefined,
      "replace",
    ],
    ["a deletion, of such a server", "DELETED", undefined, same(undefined), undefined, "remove"],
  ] as const;
  for (const [what, type, version, known, highWater, verdict] of cases) {
    it(`say ${verdict} to ${what}`, () => {
      assert.equal(rules.onEvent({ type, version, known, highWater }), verdict);
    });
  }
});

describe("the rules for items of a list", () => {
  const cases = [
    ["anything on the first list", 7, undefined, undefined, "insert"],
    ["an object made since", 7, undefined, 6, "insert"],
    ["an object that was deleted before", 5, undefined, 6, "suspect"],
    ["what is here already", 5, same(5), 6, "confirm"],
    ["what has changed since", 7, same(5), 6, "replace"],
    ["a new object of an old name", 7, other(5), 6, "recreate"],
    ["what we wrote ourselves since", 5, same(9), 6, "superseded"],
    ["an older version than the watch had shown", 3, same(5), 6, "suspect"],
    ["anything, of a server whose versions are no numbers", undefined, same(undefined), undefined, "replace"],
  ] as const;
  for (const [what, version, known, highWater, verdict] of cases) {
    it(`say ${verdict} to ${what}`, () => {
      assert.equal(rules.onListed({ version, known, highWater }), verdict);
    });
  }

  it("refuse a list that is older than what was seen, and no other", () => {
    assert.ok(rules.isStaleList(5, 6));
    assert.ok(!rules.isStaleList(6, 6));
    assert.ok(!rules.isStaleList(6, undefined), "the first");
    assert.ok(!rules.isStaleList(undefined, 6), "not comparable");
  });

  it("keep what we wrote after the list was made", () => {
    assert.ok(rules.outlivesList(7, 6));
    assert.ok(!rules.outlivesList(6, 6));
    assert.ok(!rules.outlivesList(undefined, 6));
  });
});

describe("the rules for answers to own writes", () => {
  const cases = [
    ["an object we made", 7, undefined, 6, true, "insert"],
    ["an object we made before the first list", 7, undefined, undefined, true, "insert"],
    ["an object we changed", 7, same(5), 6, true, "replace"],
    ["an object we made in place of one that is here still", 7, other(5), 6, true, "recreate"],
    ["an answer that comes after the watch has passed it", 5, undefined, 6, true, "ignore"],
    ["a write that changed nothing", 5, same(5), 4, true, "ignore"],
    ["an answer that comes after that to a later write", 7, same(9), 6, true, "ignore"],
    ["an object that our write took out of the selection", 7, same(5), 6, false, "remove"],
    ["an object we made, when only the server knows whether it is selected", 7, undefined, 6, undefined, "ignore"],
    ["an object we changed, when only the server knows", 7, same(5), 6, undefined, "replace"],
    ["an object we made in place of another, when only the server knows", 7, other(5), 6, undefined, "displace"],
  ] as const;
  for (const [what, version, known, highWater, isSelected, verdict] of cases) {
    it(`say ${verdict} to ${what}`, () => {
      assert.equal(rules.onWrite({ version, known, highWater, isSelected }), verdict);
    });
  }
});
