import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { standardRules as rules } from "./rules.ts";

const same = (version: number | undefined) => ({ version, isSameUid: true });
const other = (version: number | undefined) => ({ version, isSameUid: false });

describe("the rules for watch events", () => {
  const cases = [
    ["an unknown object", "ADDED", 7, undefined, 5, "insert"],
    ["a change of an object that entered the selection", "MODIFIED", 7, undefined, 5, "insert"],
    ["a newer version", "MODIFIED", 7, same(5), 6, "replace"],
    ["the echo of an own write", "MODIFIED", 7, same(7), 6, "confirm"],
    ["a foreign version below an own write", "MODIFIED", 7, same(9), 6, "superseded"],
    ["a new object of an old name", "ADDED", 7, other(5), 6, "recreate"],
    ["a predecessor of an object that this process created", "MODIFIED", 7, other(9), 6, "superseded"],
    ["a deletion", "DELETED", 7, same(5), 6, "remove"],
    ["the deletion of an unknown object", "DELETED", 7, undefined, 6, "ignore"],
    ["the deletion of a predecessor of an object that this process created", "DELETED", 7, other(9), 6, "superseded"],
    ["the deletion of a successor whose creation was not shown", "DELETED", 7, other(5), 6, "remove"],
    ["leaving the selection before an own write", "DELETED", 7, same(9), 6, "superseded"],
    ["leaving the selection by an own write", "DELETED", 7, same(7), 6, "remove"],
    ["a repeated event", "MODIFIED", 5, same(5), 6, "ignore"],
    ["a repeated event of an object that was deleted since", "ADDED", 5, undefined, 6, "ignore"],
    ["a repeated deletion", "DELETED", 5, other(6), 6, "ignore"],
    ["a deletion that repeats the version of the object", "DELETED", 5, same(5), 6, "remove"],
    [
      "a change on a server whose versions are not numbers",
      "MODIFIED",
      undefined,
      same(undefined),
      undefined,
      "replace",
    ],
    [
      "a deletion on a server whose versions are not numbers",
      "DELETED",
      undefined,
      same(undefined),
      undefined,
      "remove",
    ],
  ] as const;
  for (const [what, type, version, known, highWater, verdict] of cases) {
    it(`return ${verdict} for ${what}`, () => {
      assert.equal(rules.onEvent({ type, version, known, highWater }), verdict);
    });
  }
});

describe("the rules for list items", () => {
  const cases = [
    ["anything on the first list", 7, undefined, undefined, "insert"],
    ["an object created since", 7, undefined, 6, "insert"],
    ["an object that was deleted before", 5, undefined, 6, "suspect"],
    ["an unchanged object", 5, same(5), 6, "confirm"],
    ["a changed object", 7, same(5), 6, "replace"],
    ["a new object of an old name", 7, other(5), 6, "recreate"],
    ["an object that this process wrote since", 5, same(9), 6, "superseded"],
    ["an older version than the watch has shown", 3, same(5), 6, "suspect"],
    ["any object of a server whose versions are not numbers", undefined, same(undefined), undefined, "replace"],
  ] as const;
  for (const [what, version, known, highWater, verdict] of cases) {
    it(`return ${verdict} for ${what}`, () => {
      assert.equal(rules.onListed({ version, known, highWater }), verdict);
    });
  }

  it("refuse only lists that are older than what was seen before", () => {
    assert.ok(rules.isStaleList(5, 6));
    assert.ok(!rules.isStaleList(6, 6));
    assert.ok(!rules.isStaleList(6, undefined), "the first");
    assert.ok(!rules.isStaleList(undefined, 6), "not comparable");
  });

  it("keep objects that this process wrote after the list was made", () => {
    assert.ok(rules.outlivesList(7, 6));
    assert.ok(!rules.outlivesList(6, 6));
    assert.ok(!rules.outlivesList(undefined, 6));
  });
});

describe("the rules for responses to own writes", () => {
  const cases = [
    ["a created object", 7, undefined, 6, true, "insert"],
    ["an object created before the first list", 7, undefined, undefined, true, "insert"],
    ["a changed object", 7, same(5), 6, true, "replace"],
    ["an object created in place of one that is still stored", 7, other(5), 6, true, "recreate"],
    ["a response that arrives after the watch has passed its version", 5, undefined, 6, true, "ignore"],
    ["a write that changed nothing", 5, same(5), 4, true, "ignore"],
    ["a response that arrives after that of a later write", 7, same(9), 6, true, "ignore"],
    ["an object that an own write took out of the selection", 7, same(5), 6, false, "remove"],
    ["a created object if only the server knows whether it is selected", 7, undefined, 6, undefined, "ignore"],
    ["a changed object if only the server knows whether it is selected", 7, same(5), 6, undefined, "replace"],
    [
      "an object created in place of another if only the server knows whether it is selected",
      7,
      other(5),
      6,
      undefined,
      "displace",
    ],
  ] as const;
  for (const [what, version, known, highWater, isSelected, verdict] of cases) {
    it(`return ${verdict} for ${what}`, () => {
      assert.equal(rules.onWrite({ version, known, highWater, isSelected }), verdict);
    });
  }
});
