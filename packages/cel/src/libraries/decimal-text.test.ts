import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { formatFixed, roundSignificant } from "./decimal-text.ts";
import { formatFixedPoint, formatScientific } from "./locale-number.ts";

describe("formatFixed", () => {
  it("rounds half to even", () => {
    assert.deepEqual(
      [0.5, 1.5, 2.5, -0.5].map((value) => formatFixed(value, 0)),
      ["0", "2", "2", "-0"],
    );
    assert.deepEqual(
      [0.125, 0.375].map((value) => formatFixed(value, 2)),
      ["0.12", "0.38"],
    );
    assert.equal(formatFixed(1.005, 2), "1.00", "1.005 is a little less than it looks");
    assert.equal(formatFixed(999.9999, 2), "1000.00");
  });

  it("writes out every digit of the largest and the smallest numbers", () => {
    assert.equal(formatFixed(1e22, 1), "10000000000000000000000.0");
    assert.equal(formatFixed(Number.MAX_VALUE, 0).length, 309);
    assert.equal(formatFixed(Number.MIN_VALUE, 1074).slice(-4), "5625");
    assert.equal(formatFixed(0.1, 60), "0.100000000000000005551115123125782702118158340454101562500000");
  });

  it("formats NaN and infinities as Go does", () => {
    assert.deepEqual(
      [NaN, Infinity, -Infinity, -0].map((value) => formatFixed(value, 1)),
      ["NaN", "+Inf", "-Inf", "-0.0"],
    );
  });

  it("agrees with toFixed where that is exact, except for halves", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e20, max: 1e20 }), fc.nat({ max: 20 }), (value, digits) => {
        const mine = formatFixed(value, digits);

        const isHalf = formatFixed(value, 1100).replace(/0+$/, "").length === value.toFixed(digits).length + 1;
        if (!isHalf) assert.equal(mine, Object.is(value, -0) ? `-${value.toFixed(digits)}` : value.toFixed(digits));
      }),
    );
  });
});

describe("roundSignificant", () => {
  it("returns the digits and the position of the decimal point", () => {
    assert.deepEqual(roundSignificant(1234.5678, 7), { digits: "1234568", point: 4 });
    assert.deepEqual(roundSignificant(0.000123, 2), { digits: "12", point: -3 });
    assert.deepEqual(roundSignificant(9.996, 3), { digits: "1", point: 2 });
    assert.deepEqual(roundSignificant(0, 7), { digits: "", point: 0 });
  });
});

describe("numbers in the locale en-US", () => {
  it("have grouped digits, and symbols for NaN and infinities", () => {
    assert.equal(formatFixedPoint(1234567.891, 2), "1,234,567.89");
    assert.equal(formatFixedPoint(-999.9999999, 2), "-1,000.00");
    assert.equal(formatFixedPoint(0.5, 0), "0");
    assert.equal(formatFixedPoint(-Infinity, 6), "-∞");
    assert.equal(formatFixedPoint(NaN, 6), "NaN");
  });

  it("have a superscript exponent in scientific notation, padded to the width", () => {
    assert.equal(formatScientific(1052.032911275, 6), "1.052033×10⁰³");
    assert.equal(formatScientific(-1e-300, 0), "-1.000000×10⁻³⁰⁰");
    assert.equal(formatScientific(0, 15), "  0.000000×10⁰⁰");
  });

  it("overflow in the precision as in Kubernetes", () => {
    assert.equal(formatFixedPoint(0.5, 300), `0.5${"0".repeat(43)}`);
    assert.equal(formatFixedPoint(0.1, 32_768), "0.1");
    assert.equal(formatFixedPoint(0.1, 65_536), "0");
    assert.equal(formatFixedPoint(0.1, 99_999_999), "%!(NOVERB)");
    assert.equal(formatScientific(0.1, 65_536), "1.000000×10⁻⁰¹");
  });
});
