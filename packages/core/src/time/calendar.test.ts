import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { daysInMonth } from "./calendar.ts";

describe("daysInMonth", () => {
  it("agrees with Date", () => {
    for (let year = 0; year < 2_500; year += 1) {
      for (let month = 1; month <= 12; month += 1) {
        const last = new Date(0);
        last.setUTCFullYear(year, month, 0);

        assert.equal(daysInMonth(year, month), last.getUTCDate(), `${year}-${month}`);
      }
    }
  });

  it("returns 0 for an invalid month", () => {
    assert.deepEqual([daysInMonth(2026, 0), daysInMonth(2026, 13)], [0, 0]);
  });
});
