import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkHistories } from "../testing/route-histories.ts";

/** Number of histories. `npm test` runs a sample. */
const histories = Number(process.env["HOMEOSTAT_ROUTE_HISTORIES"] ?? 10_000);

describe("the incremental compiler", () => {
  it("agrees with the full compilation and with the rules after every step of random histories", () => {
    const counts = checkHistories(0, histories);

    // The histories reach every rule; otherwise they would prove nothing about it.
    for (const [name, count] of Object.entries(counts)) assert.ok(count > histories / 100, `${name}: ${count}`);
  });
});
