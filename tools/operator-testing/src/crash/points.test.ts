import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  afterEveryChange,
  afterEveryNthChange,
  afterSomeChanges,
  beforeAndAfterEveryRequest,
  chosenSelection,
  type PointSelection,
} from "./points.ts";

const run = { requests: 9, changes: [2, 3, 5, 7, 8, 9] };

function textOf(select: PointSelection, index = 0, sharedChanges = 0): string {
  return select(run, { index, sharedChanges })
    .map(({ nth, when }) => `${when} ${nth}`)
    .join(", ");
}

describe("crash points", () => {
  it("cover every request twice in the full selection", () => {
    const points = beforeAndAfterEveryRequest(run, { index: 0, sharedChanges: 0 });

    assert.equal(points.length, 18);
    assert.equal(new Set(points.map(({ nth, when }) => `${when} ${nth}`)).size, 18);
  });

  it("follow every change, and precede the first request", () => {
    assert.equal(textOf(afterEveryChange), "before 1, after 2, after 3, after 5, after 7, after 8, after 9");
  });

  it("exclude the changes shared with another scenario", () => {
    assert.equal(textOf(afterEveryChange, 1, 4), "after 8, after 9");
  });

  it("alternate between scenarios with the same first steps", () => {
    assert.equal(textOf(afterEveryNthChange(2), 0), "after 2, after 5, after 8");
    assert.equal(textOf(afterEveryNthChange(2), 1), "after 3, after 7, after 9");
  });

  it("are evenly spaced when a number is given", () => {
    assert.equal(textOf(afterSomeChanges(1)), "after 7");
    assert.equal(textOf(afterSomeChanges(3)), "after 3, after 7, after 9");
    assert.equal(textOf(afterSomeChanges(100)), "after 2, after 3, after 5, after 7, after 8, after 9");
  });

  it("are selected by CRASH_POINTS", () => {
    const selections = { sample: afterSomeChanges(1), exhaustive: afterEveryChange };

    assert.equal(chosenSelection(selections, ""), selections.sample);
    assert.equal(chosenSelection(selections, "all"), selections.exhaustive);
    assert.equal(textOf(chosenSelection(selections, "3")), "after 3, after 7, after 9");
    assert.equal(textOf(chosenSelection({ ...selections, sampleMax: 1 }, "3")), "after 7");
    assert.throws(() => chosenSelection(selections, "many"), /CRASH_POINTS is "many"; set it to "all" or/);
  });
});
