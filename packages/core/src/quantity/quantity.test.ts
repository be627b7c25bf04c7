import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import fc from "fast-check";
import { ParseError } from "../errors/parse-error.ts";
import { quantityFromJSON } from "./json-quantity.ts";
import { parseQuantity } from "./parse-quantity.ts";
import { quantityFromInteger, quantityFromMilli } from "./quantity.ts";
import { QuantityRangeError } from "./range-error.ts";

const suffixes = [
  "n",
  "u",
  "m",
  "",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Ki",
  "Mi",
  "Gi",
  "Ti",
  "Pi",
  "Ei",
  "e3",
  "E-2",
  "e+6",
];
const quantities = fc
  .tuple(fc.constantFrom("", "-", "+"), fc.maxSafeNat(), fc.option(fc.nat(999_999)), fc.constantFrom(...suffixes))
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${suffix}`)
  .map(parseQuantity);

function placeOf(text: string): number {
  try {
    parseQuantity(text);
  } catch (error) {
    if (error instanceof ParseError) return error.offset;
  }
  throw new Error(`${text} was accepted`);
}

describe("Quantity", () => {
  it("prints the canonical text in its format", () => {
    const cases = [
      ["1.5", "1500m"],
      ["1.5Gi", "1536Mi"],
      ["1000m", "1"],
      ["1024Mi", "1Gi"],
      ["0.5Ki", "512"],
      ["0.1Ki", "102400m"],
      ["12000e3", "12e6"],
      ["-0.25", "-250m"],
      ["0.1n", "1n"],
    ] as const;

    for (const [text, printed] of cases) assert.equal(parseQuantity(text).toString(), printed, text);
  });

  it("keeps a text that needs no rescaling, and returns its canonical text on request", () => {
    const quantity = parseQuantity("1.500");

    assert.equal(quantity.toString(), "1.500");
    assert.equal(quantity.canonical(), "1500m");
    assert.equal(quantity.negated().negated().toString(), "1500m");
  });

  it("adds exactly where a double would not", () => {
    const tenth = parseQuantity("0.1");

    assert.equal(tenth.add(parseQuantity("0.2")).toString(), "300m");
    assert.equal(
      parseQuantity("9223372036854775807").add(parseQuantity("1n")).toString(),
      "9223372036854775807000000001n",
    );
  });

  it("takes the format of the other operand when it is zero", () => {
    const sum = parseQuantity("0").add(parseQuantity("2Ki"));

    assert.equal(sum.toString(), "2Ki");
    assert.equal(sum.format, "BinarySI");
  });

  it("is capped at the largest 64-bit integer only if it is binary", () => {
    assert.equal(parseQuantity("100Ei").value(), 2n ** 63n - 1n);
    assert.equal(parseQuantity("-100Ei").value(), -(2n ** 63n) + 1n);
    assert.equal(parseQuantity("100E").value(), 10n ** 20n);
  });

  it("rounds its value away from zero", () => {
    assert.equal(parseQuantity("1.1").value(), 2n);
    assert.equal(parseQuantity("-1.1").value(), -2n);
    assert.equal(parseQuantity("1n").milliValue(), 1n);
  });

  it("is an integer only in the representation that Kubernetes treats as one", () => {
    assert.equal(parseQuantity("50k").asInt64(), 50_000n);
    assert.equal(parseQuantity("1000m").isInteger(), false);
    assert.equal(parseQuantity("1000m").value(), 1n);
  });

  it("can be created from whole units and from thousandths", () => {
    assert.equal(quantityFromInteger(1024, "BinarySI").toString(), "1Ki");
    assert.equal(quantityFromInteger(10n ** 20n).toString(), "100E");
    assert.equal(quantityFromMilli(2500n).toString(), "2500m");
    assert.throws(() => quantityFromInteger(1.5), RangeError);
  });

  it("is parsed from a string or a number of an object", () => {
    assert.equal(quantityFromJSON(2).toString(), "2");
    assert.equal(quantityFromJSON(0.25).toString(), "250m");
    assert.equal(quantityFromJSON(" \t1Gi\n\u0085").toString(), "1Gi");
    assert.throws(() => quantityFromJSON("\ufeff1Gi"), ParseError);
    assert.throws(() => quantityFromJSON(Number.NaN), ParseError);
  });

  it("compares huge exponents quickly, and refuses to add them", () => {
    const [huge, tiny] = [parseQuantity("1e2000000000"), parseQuantity("-12345678901234567890e-2000000000")];

    assert.equal(huge.compareTo(tiny), 1);
    assert.equal(huge.compareTo(parseQuantity("9e1999999999")), 1);
    assert.equal(huge.equals(parseQuantity("10e1999999999")), true);
    assert.equal(tiny.toString(), "-1e-9");
    assert.throws(() => huge.add(tiny), QuantityRangeError);
    assert.throws(() => huge.value(), { code: "QUANTITY_RANGE", retryable: false });
    assert.equal(huge.add(parseQuantity("0")).toString(), "100e1999999998");
  });

  it("reports the position of a syntax error", () => {
    assert.equal(placeOf(""), 0);
    assert.equal(placeOf("1.5x"), 3);
    assert.equal(placeOf("200K"), 3);
    assert.equal(placeOf("1e3.5"), 3);
    assert.equal(placeOf("1..5"), 2);
    assert.equal(placeOf("Ei"), 0);
    assert.equal(placeOf("9".repeat(10_001)), 10_000);
  });
});

describe("quantity properties", () => {
  it("parsing the canonical text gives the same value and the same text", () => {
    const printable = quantities.filter((quantity) => quantity.compareTo(parseQuantity("999E")) < 0);

    fc.assert(
      fc.property(printable, (quantity) => {
        const again = parseQuantity(quantity.canonical());

        assert.ok(again.equals(quantity));
        assert.equal(again.toString(), quantity.canonical());
        assert.equal(again.canonical(), quantity.canonical());
      }),
      { numRuns: 2000 },
    );
  });

  it("adding and subtracting the same quantity changes nothing", () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        assert.ok(a.add(b).sub(b).equals(a));
        assert.ok(a.add(b).equals(b.add(a)));
        assert.ok(a.sub(b).equals(b.sub(a).negated()));
        assert.ok(a.add(a).add(a).equals(a.times(3)));
      }),
      { numRuns: 2000 },
    );
  });

  it("the order is total and agrees with subtraction", () => {
    fc.assert(
      fc.property(quantities, quantities, quantities, (a, b, c) => {
        assert.equal(a.compareTo(b), a.sub(b).sign());
        assert.equal(a.compareTo(b), -b.compareTo(a) + 0);
        if (a.compareTo(b) <= 0 && b.compareTo(c) <= 0) assert.ok(a.compareTo(c) <= 0);
      }),
      { numRuns: 2000 },
    );
  });

  it("the value is the smallest integer that is not less than a positive quantity", () => {
    fc.assert(
      fc.property(quantities, (quantity) => {
        const size = quantity.sign() < 0 ? quantity.negated() : quantity;
        const value = quantityFromInteger(size.value());

        assert.ok(!value.isLessThan(size));
        assert.ok(size.isZero() || value.sub(quantityFromInteger(1)).isLessThan(size));
      }),
    );
  });
});

describe("random quantity texts", () => {
  it("are parsed or refused with a typed error, quickly", () => {
    const alphabet = "0 1 9 . + - e E i n u m k K M G T P x µ \0".split(" ").concat(" ");
    const valid = ["500m", "1.5Gi", "-12e6", "+7Ki", "9223372036854775807", "1E-3", "0.1n", "1e2147483647"];
    const shapes: ((length: number) => string)[] = [
      (length) => "9".repeat(length),
      (length) => `0.${"0".repeat(length)}1Ki`,
      (length) => `1e${"9".repeat(length)}`,
      (length) => `1e-${"0".repeat(length)}9`,
      (length) => `1${"E".repeat(length)}`,
      (length) => `${"+".repeat(length)}1`,
      (length) => `${"1".repeat(length)}.${"9".repeat(length)}Ei`,
    ];

    const { accepted } = fuzz({
      count: 100_000,
      seed: 36,
      input: (chance, index) =>
        index % 500 === 0 ? chance.pick(shapes)(chance.int(12_000)) : chance.mutate(chance.pick(valid), alphabet),
      run: (text) => {
        const quantity = parseQuantity(text);

        assert.ok(quantity.toString() !== "" && quantity.canonical() !== "");
        assert.equal(quantity.compareTo(quantity.negated()), quantity.sign());
        quantity.asApproximateNumber();
        quantity.value();
      },
      isExpected: (error) => error instanceof ParseError || error instanceof QuantityRangeError,
    });

    assert.ok(accepted > 10_000 && accepted < 90_000, `${accepted} accepted`);
  });
});
