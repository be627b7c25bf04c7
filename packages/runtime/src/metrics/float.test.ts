import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { formatFloat } from "./float.ts";

describe("formatFloat", () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, "0"],
    [-0, "0"],
    [1, "1"],
    [-12, "-12"],
    [0.1 + 0.2, "0.30000000000000004"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1e-8, "1e-08"],
    [-2.5e-7, "-2.5e-07"],
    [999_999, "999999"],
    [999_999.5, "999999.5"],
    [1_000_000, "1e+06"],
    [1_234_567, "1.234567e+06"],
    [2 ** 53, "9.007199254740992e+15"],
    [1e21, "1e+21"],
    [5e-324, "5e-324"],
    [Number.MAX_VALUE, "1.7976931348623157e+308"],
    [Infinity, "+Inf"],
    [-Infinity, "-Inf"],
    [Number.NaN, "NaN"],
  ];

  for (const [value, text] of cases) {
    it(`writes ${value} as ${text}`, () => {
      assert.equal(formatFloat(value), text);
    });
  }

  it("formats every number without losing precision", () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        // -0 equals 0 here, as it does for parsers of the format.
        assert.ok(Number(formatFloat(value)) === value);
      }),
      { numRuns: 2000 },
    );
  });
});
