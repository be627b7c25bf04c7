import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { CrashPoint } from "@homeostat/operator-testing";
import { Bench } from "../testing/bench.fixture.test.ts";
import { type Ending, play, playAway, stories } from "../testing/crash.fixture.test.ts";

/** With `CRASH_POINTS=all`, as an end-to-end suite runs this, every request counts, before and after it. That takes minutes. */
const isExhaustive = process.env["CRASH_POINTS"] === "all";

/**
 * Where to die. A process that dies before a request leaves what one leaves that dies after the one before; and only a request
 * that changes an object makes a difference at all. All stories begin alike, so each takes every second of those, in turn the
 * one and the other half.
 */
function* pointsOf({ requests, changes }: Ending, story: number): Generator<CrashPoint> {
  const chosen = changes.filter((_, index) => index % 2 === story % 2);
  for (let nth = 1; nth <= requests; nth += 1) {
    if (isExhaustive) yield { nth, when: "before" };
    if (isExhaustive || chosen.includes(nth)) yield { nth, when: "after" };
  }
}

describe("an operator that dies at any request", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  it("runs no load twice when it was away for longer than ended Jobs are kept", async () => {
    const expected = await playAway(bench, undefined);
    assert.equal(expected.reason, "TestSucceeded");

    for (const point of pointsOf(expected, 1)) {
      const { jobsMade, reason, lateWrites } = await playAway(bench, point);
      const where = `${point.when} request ${point.nth} of ${expected.requests}`;
      assert.ok(jobsMade.filter((name) => name === "a-master").length <= 1, where);
      assert.match(reason, /^(?:TestSucceeded|ResultUnavailable)$/, where);
      assert.deepEqual(lateWrites, [], where);
    }
  });

  it("runs no load twice when the Jobs were refused at first, either", async () => {
    const expected = await playAway(bench, undefined, { isRefusedFirst: true });
    assert.equal(expected.reason, "TestSucceeded");

    for (const point of pointsOf(expected, 0)) {
      const { jobsMade, reason, lateWrites } = await playAway(bench, point, { isRefusedFirst: true });
      const where = `${point.when} request ${point.nth} of ${expected.requests}`;
      assert.ok(jobsMade.filter((name) => name === "a-master").length <= 1, where);
      assert.match(reason, /^(?:TestSucceeded|ResultUnavailable)$/, where);
      assert.deepEqual(lateWrites, [], where);
    }
  });

  for (const [index, name] of Object.keys(stories).entries()) {
    it(`ends ${name} as one that does not`, async () => {
      const expected = await play(bench, name, undefined);

      assert.ok(expected.changes.length >= 6, `${expected.changes.length} changes`);
      assert.deepEqual(expected.lateWrites, []);
      for (const point of pointsOf(expected, index)) {
        const ending = await play(bench, name, point);
        const where = `${point.when} request ${point.nth} of ${expected.requests}`;
        assert.deepEqual(ending.picture, expected.picture, where);
        assert.deepEqual(ending.jobsMade, expected.jobsMade, where);
        assert.deepEqual(ending.lateWrites, [], where);
      }
    });
  }
});
