import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { anyText } from "@homeostat/fuzz/any-text";
import { codePointLength } from "@homeostat/core";
import fc from "fast-check";
import { CelFailure } from "../failure.ts";
import { formatDecimal, formatDouble, parseDouble } from "./double-text.ts";
import { elementsOf, listOf, mapOf } from "./collections.ts";
import { CelDuration } from "./duration.ts";
import { equals } from "./equality.ts";
import { compare, isOrdered } from "./ordering.ts";
import { compareText } from "./text.ts";
import { CelTimestamp } from "./timestamp.ts";
import { CelTypeValue, CelUint, type CelValue } from "./value.ts";

const int = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const uint = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => new CelUint(value));
const scalar: fc.Arbitrary<CelValue> = fc.oneof(
  fc.constantFrom(null, true, false, 0n, 0, -0, new CelUint(0n), "", new CelTypeValue("int")),
  int,
  uint,
  fc.double(),
  anyText,
  fc.uint8Array({ maxLength: 5 }),
  int.map((nanos) => new CelTimestamp(nanos)),
  int.map((nanos) => new CelDuration(nanos)),
);
const value: fc.Arbitrary<CelValue> = fc.oneof(
  { depthSize: "small" },
  scalar,
  fc.array(scalar, { maxLength: 4 }).map(listOf),
  fc.array(fc.tuple(fc.string({ maxLength: 2 }), scalar), { maxLength: 4 }).map(mapOf),
);

describe("equality", () => {
  it("is symmetric", () => {
    fc.assert(fc.property(value, value, (a, b) => equals(a, b) === equals(b, a)));
  });

  it("is reflexive, except for values that contain NaN", () => {
    fc.assert(fc.property(value, (a) => equals(a, a) === true || JSON.stringify(text(a)).includes("NaN")));
  });

  it("compares numbers across types, but no other types", () => {
    assert.equal(equals(1n, 1), true);
    assert.equal(equals(new CelUint(1n), 1n), true);
    assert.equal(equals(1.5, 1n), false);
    assert.equal(equals(1n, "1"), false);
    assert.equal(equals(1n, true), false);
    assert.equal(equals(null, 0n), false);
    assert.equal(equals(Number.NaN, Number.NaN), false);
  });

  it("rounds an int to compare it with a double", () => {
    assert.equal(equals(9_007_199_254_740_993n, 9_007_199_254_740_992), true);
  });

  it("ignores the order of maps but not of lists", () => {
    assert.equal(
      equals(
        mapOf([
          ["a", 1n],
          ["b", 2n],
        ]),
        mapOf([
          ["b", 2n],
          ["a", 1],
        ]),
      ),
      true,
    );
    assert.equal(equals(listOf([1n, 2n]), listOf([2n, 1n])), false);
    assert.equal(equals(listOf([1n]), listOf([1n, 2n])), false);
  });
});

describe("order", () => {
  it("is antisymmetric and agrees with equality for numbers", () => {
    const number = fc.oneof(int, uint, fc.double({ noNaN: true }));

    fc.assert(
      fc.property(number, number, (a, b) => {
        const order = compare(a, b);
        assert.ok(typeof order === "number");
        return -order === (compare(b, a) as number) && (order === 0) === equals(a, b);
      }),
    );
  });

  it("of strings is the order of their UTF-8 bytes", () => {
    const characters = anyText;

    fc.assert(
      fc.property(
        characters,
        characters,
        (a, b) => compareText(a, b) === Buffer.compare(Buffer.from(a), Buffer.from(b)),
      ),
    );
  });

  it("does not exist between different types other than numbers, nor for NaN", () => {
    assert.ok(compare("a", 1n) instanceof CelFailure);
    assert.ok(compare(Number.NaN, 1n) instanceof CelFailure);
    assert.equal(isOrdered(listOf([])), false);
  });
});

describe("the size of a string", () => {
  it("is the number of its code points", () => {
    fc.assert(fc.property(anyText, (given) => codePointLength(given) === Array.from(given).length));
  });
});

describe("a formatted double", () => {
  it("parses to the same value, with and without an exponent", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        assert.ok(Object.is(parseDouble(formatDouble(number)), number));
        assert.ok(Object.is(Number(formatDecimal(number)), number));
      }),
    );
  });

  it("has the form that the API server prints", () => {
    const forms: readonly (readonly [number, string])[] = [
      [1, "1"],
      [123_456, "123456"],
      [1_234_567, "1.234567e+06"],
      [0.0001, "0.0001"],
      [0.000_01, "1e-05"],
      [1e100, "1e+100"],
      [-2.5, "-2.5"],
      [-0, "-0"],
      [Infinity, "+Inf"],
      [-Infinity, "-Inf"],
      [Number.NaN, "NaN"],
    ];

    for (const [number, form] of forms) assert.equal(formatDouble(number), form);
    assert.equal(formatDecimal(1e21), "1000000000000000000000");
    assert.equal(formatDecimal(1.5e-7), "0.00000015");
  });

  it("is accepted if the API server accepts it", () => {
    const read: Readonly<Record<string, number | undefined>> = {
      "1.": 1,
      ".5": 0.5,
      "+1e3": 1000,
      inf: Infinity,
      "-Infinity": -Infinity,
      "0x1p-2": 0.25,
      "1_000.5": 1000.5,
      "1__0": undefined,
      "1e400": undefined,
      "": undefined,
      " 1": undefined,
      "1x": undefined,
      "0x10": undefined,
    };

    for (const [written, number] of Object.entries(read)) assert.equal(parseDouble(written), number, written);
    assert.ok(Number.isNaN(parseDouble("NaN")));
  });
});

/** Converts a value to plain JavaScript values for assertions. */
function text(of: CelValue): unknown {
  if (typeof of === "number") return Number.isNaN(of) ? "NaN" : of;
  if (typeof of !== "object" || of === null) return String(of);
  if ("at" in of && "size" in of) return elementsOf(of as never).map((element) => text(element as CelValue));
  if ("keys" in of && "find" in of) {
    const map = of as unknown as { keys(): CelValue[]; find(key: CelValue): CelValue };
    return map.keys().map((key) => text(map.find(key)));
  }
  return "";
}
