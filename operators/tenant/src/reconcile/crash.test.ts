import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { CrashPoint } from "@homeostat/operator-testing";
import { Bench } from "../testing/bench.fixture.test.ts";
import { type Ending, play, stories } from "../testing/crash.fixture.test.ts";

/** How many points of each story are tried. With `CRASH_POINTS=all`, as an end-to-end suite runs this, all of them. */
const { CRASH_POINTS: asked = "1" } = process.env;

/**
 * Where to die. A process that dies before a request leaves what one leaves that dies after the one before; and only a request
 * that changes something makes a difference at all: so after each of those, and before the first. All stories but one begin with
 * the whole creation, whose points are tried in the first.
 */
function pointsOf({ changes }: Ending, creation: number): readonly CrashPoint[] {
  const own = changes.slice(Math.max(0, creation - 2));
  const step = asked === "all" ? 1 : Math.ceil(own.length / Number(asked));
  const after = own
    .filter((_, index) => index % step === Math.floor(step / 2))
    .map((nth) => ({ nth, when: "after" as const }));
  return asked === "all" && creation === 0 ? [{ nth: 1, when: "before" }, ...after] : after;
}

describe("an operator that dies at any request", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  let creation = 0;
  for (const title of Object.keys(stories)) {
    it(`ends ${title} as one that does not`, async () => {
      const expected = await play(bench, title, undefined);

      assert.ok(expected.changes.length >= 5, `${expected.changes.length} changes`);
      assert.deepEqual(expected.lateWrites, []);
      const points = pointsOf(expected, title.includes("during") ? 0 : creation);
      if (creation === 0) creation = expected.changes.length;
      for (const point of points) {
        const where = `${point.when} request ${point.nth} of ${expected.requests}`;
        const ending = await play(bench, title, point);
        assert.deepEqual(ending.picture, expected.picture, where);
        assert.deepEqual(ending.lateWrites, [], where);
      }
    });
  }
});
