import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Bench } from "../testing/bench.fixture.test.ts";
import { play, playAway, stories } from "../testing/crash.fixture.test.ts";

describe("an operator that dies at any request", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  it("runs no load twice when it was away for longer than ended Jobs are kept", async () => {
    const expected = await playAway(bench, undefined);
    assert.equal(expected.reason, "TestSucceeded");

    for (let nth = 1; nth <= expected.requests; nth += 1) {
      for (const when of ["before", "after"] as const) {
        const { jobsMade, reason, lateWrites } = await playAway(bench, { nth, when });
        const where = `${when} request ${nth} of ${expected.requests}`;
        assert.ok(jobsMade.filter((name) => name === "a-master").length <= 1, where);
        assert.match(reason, /^(?:TestSucceeded|ResultUnavailable)$/, where);
        assert.deepEqual(lateWrites, [], where);
      }
    }
  });

  for (const name of Object.keys(stories)) {
    it(`ends ${name} as one that does not`, async () => {
      const expected = await play(bench, name, undefined);

      assert.deepEqual(expected.lateWrites, []);
      for (let nth = 1; nth <= expected.requests; nth += 1) {
        for (const when of ["before", "after"] as const) {
          const ending = await play(bench, name, { nth, when });
          const where = `${when} request ${nth} of ${expected.requests}`;
          assert.deepEqual(ending.picture, expected.picture, where);
          assert.deepEqual(ending.jobsMade, expected.jobsMade, where);
          assert.deepEqual(ending.lateWrites, [], where);
        }
      }
    });
  }
});
