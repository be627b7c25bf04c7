import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Bench, type CrashPoint } from "../testing/bench.fixture.test.ts";
import { type Ending, play, stories } from "../testing/crash.fixture.test.ts";

/**
 * How many points of each story are tried. With `CRASH_POINTS=all`, as an end-to-end suite runs this, every request counts,
 * before and after it. That takes minutes.
 */
const { CRASH_POINTS: asked = "1" } = process.env;
const isExhaustive = asked === "all";

/**
 * Where to die. A process that dies before a request leaves what one leaves that dies after the one before; and only a request
 * that changes something makes a difference at all. All stories begin alike, so each tries points of its own.
 */
function* pointsOf({ requests, changes }: Ending, story: number): Generator<CrashPoint> {
  if (!isExhaustive) {
    const step = Math.ceil(changes.length / Number(asked));
    for (let index = (story * 3) % step; index < changes.length; index += step) {
      yield { nth: changes[index] ?? 1, when: "after" };
    }
    return;
  }
  for (let nth = 1; nth <= requests; nth += 1) {
    yield { nth, when: "before" };
    yield { nth, when: "after" };
  }
}

describe("an operator that dies at any request", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  for (const [index, title] of Object.keys(stories).entries()) {
    it(`ends ${title} as one that does not`, async () => {
      const expected = await play(bench, title, undefined);

      assert.ok(expected.changes.length >= 5, `${expected.changes.length} changes`);
      assert.deepEqual(expected.lateWrites, []);
      for (const point of pointsOf(expected, index)) {
        const where = `${point.when} request ${point.nth} of ${expected.requests}`;
        const ending = await play(bench, title, point);
        assert.deepEqual(ending.picture, expected.picture, where);
        assert.deepEqual(ending.lateWrites, [], where);
      }
    });
  }
});
