import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readRetryAfter } from "./retry-after.ts";

const now = Date.UTC(1994, 10, 6, 8, 49, 0);

describe("readRetryAfter", () => {
  const cases: [string, string | string[] | undefined, number | undefined][] = [
    ["seconds", "120", 120_000],
    ["zero", "0", 0],
    ["spaces around", "  3 ", 3_000],
    ["the first of several", ["3", "4"], 3_000],
    ["the usual date", "Sun, 06 Nov 1994 08:49:37 GMT", 37_000],
    ["the date of RFC 850", "Sunday, 06-Nov-94 08:49:37 GMT", 37_000],
    ["the date of asctime", "Sun Nov  6 08:49:37 1994", 37_000],
    ["a date that has passed", "Sun, 06 Nov 1994 08:00:00 GMT", 0],
    ["more than a day", "99999999999999999999", 86_400_000],
    ["a date in the far future", "Fri, 31 Dec 9999 23:59:59 GMT", 86_400_000],
    ["nothing", undefined, undefined],
    ["an empty text", "", undefined],
    ["a fraction", "1.5", undefined],
    ["a sign", "-1", undefined],
    ["no number", "soon", undefined],
    ["a month that does not exist", "Sun, 06 Nob 1994 08:49:37 GMT", undefined],
    ["an hour that does not exist", "Sun, 06 Nov 1994 25:49:37 GMT", undefined],
    ["another time zone", "Sun, 06 Nov 1994 08:49:37 CET", undefined],
  ];
  for (const [name, value, expected] of cases) {
    it(`parses ${name}`, () => {
      assert.equal(readRetryAfter({ "retry-after": value }, now), expected);
    });
  }

  it("finds the header case-insensitively, and accepts missing headers", () => {
    assert.equal(readRetryAfter({ "Retry-After": "1" }), 1_000);
    assert.equal(readRetryAfter({}), undefined);
    assert.equal(readRetryAfter(undefined), undefined);
  });

  it("returns undefined for a date without the current time", () => {
    assert.equal(readRetryAfter({ "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" }), undefined);
  });

  it("interprets a two-digit year in the nearest century", () => {
    const in2026 = Date.UTC(2026, 0, 1);

    assert.equal(readRetryAfter({ "retry-after": "Thursday, 01-Jan-26 00:00:10 GMT" }, in2026), 10_000);
    assert.equal(readRetryAfter({ "retry-after": "Sunday, 06-Nov-94 08:49:37 GMT" }, in2026), 0);
  });

  it("compares a date with the Date header of the same response, whatever the local clock says", () => {
    const headers = { "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT", Date: "Sun, 06 Nov 1994 08:49:30 GMT" };

    assert.equal(readRetryAfter(headers, now + 3_600_000), 7_000);
    assert.equal(readRetryAfter(headers, now - 3_600_000), 7_000);
    assert.equal(readRetryAfter(headers), 7_000);
    assert.equal(readRetryAfter({ ...headers, Date: "yesterday" }, now), 37_000);
  });
});
