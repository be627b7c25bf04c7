import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatHttpDate, parseHttpDate } from "./http-date.ts";

describe("formatHttpDate", () => {
  it("formats a time that parseHttpDate reads back, without fractions of a second", () => {
    const time = Date.UTC(2026, 10, 6, 1, 2, 3, 999);

    const text = formatHttpDate(time);

    assert.equal(text, "Fri, 06 Nov 2026 01:02:03 GMT");
    assert.equal(parseHttpDate(text, 0), time - 999);
  });
});
