import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkHistories } from "../testing/cache-history.ts";

/** Number of histories. The long run, `HOMEOSTAT_HISTORIES=100000`, is part of the end-to-end suite. */
const count = Number(process.env["HOMEOSTAT_HISTORIES"] ?? 5000);
/** First seed, to run other histories than the default ones: `HOMEOSTAT_HISTORIES_FROM=1000000`. */
const from = Number(process.env["HOMEOSTAT_HISTORIES_FROM"] ?? 0);

describe("a cache with concurrent writers and a faulty server", () => {
  it("never goes back in time, never shows less than was written, and loses no event or change of others", async () => {
    await checkHistories(from, count);
  });

  it("does not notify a writer of its own writes if there are no other writers", async () => {
    const { echoes } = await checkHistories(from, Math.min(count, 2000), { isCalm: true });

    assert.equal(echoes, 0);
  });
});
