import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { durationPattern, durationSeconds, formatSeconds } from "./duration.ts";

describe("durationSeconds", () => {
  const valid: readonly (readonly [number | string, number])[] = [
    [0, 0],
    [86_400, 86_400],
    ["0", 0],
    ["90", 90],
    ["90s", 90],
    ["5m", 300],
    ["1h", 3600],
    ["2d", 172_800],
    ["1w", 604_800],
    ["007m", 420],
    ["999999999w", 999_999_999 * 604_800],
  ];
  for (const [text, seconds] of valid) {
    it(`reads ${JSON.stringify(text)}`, () => {
      assert.equal(durationSeconds(text), seconds);
    });
  }

  for (const bad of [
    "",
    "m",
    "-1",
    "1.5h",
    "1h30m",
    "1 h",
    "1H",
    "1y",
    " 1s",
    "1s\n",
    "9999999999w",
    "0x10",
    -1,
    1.5,
    Number.NaN,
  ]) {
    it(`rejects ${JSON.stringify(bad)}`, () => {
      assert.equal(durationSeconds(bad), undefined);
    });
  }

  it("accepts exactly the texts of the pattern, as far as they are short enough", () => {
    for (const text of ["1", "12s", "3w", "1x", "s", "", "1ss"]) {
      assert.equal(new RegExp(durationPattern).test(text), durationSeconds(text) !== undefined, text);
    }
  });
});

describe("formatSeconds", () => {
  it("uses the largest unit that divides", () => {
    assert.deepEqual([0, 45, 300, 5400, 86_400, 172_800, 604_800, 604_801].map(formatSeconds), [
      "0s",
      "45s",
      "5m",
      "90m",
      "1d",
      "2d",
      "1w",
      "604801s",
    ]);
  });
});
