import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkHistories } from "./history.fixture.test.ts";

/** How many histories to try. The long run, `HOMEOSTAT_HISTORIES=100000`, is part of the end-to-end suite. */
const count = Number(process.env["HOMEOSTAT_HISTORIES"] ?? 5000);
/** Where to begin, to try others than the usual ones: `HOMEOSTAT_HISTORIES_FROM=1000000`. */
const from = Number(process.env["HOMEOSTAT_HISTORIES_FROM"] ?? 0);

describe("a cache among foreign writers, on a server full of faults", () => {
  it("never goes back, never shows less than was written, loses no event and hides no change of others", async () => {
    await checkHistories(from, count);
  });

  it("does not tell a writer of its own writes when nobody else writes", async () => {
    const { echoes } = await checkHistories(from, Math.min(count, 2000), { isCalm: true });

    assert.equal(echoes, 0);
  });
});
