import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SeededRandom, fuzz } from "@homeostat/fuzz";
import fc from "fast-check";
import { ParseError } from "../errors/parse-error.ts";
import { formatMicroTime, microsFromMs, microsToMs, parseMicroTime } from "./micro-time.ts";
import { formatTime, parseTime, tryParseTime } from "./time.ts";

const instants = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 });

function refusal(run: () => unknown): ParseError {
  try {
    run();
  } catch (error) {
    if (error instanceof ParseError) return error;
  }
  throw new Error("the text was accepted");
}

describe("times", () => {
  it("are formatted in UTC in whole seconds", () => {
    assert.equal(formatTime(Date.UTC(2026, 0, 2, 3, 4, 5, 999)), "2026-01-02T03:04:05Z");
    assert.equal(formatTime(-1), "1969-12-31T23:59:59Z");
  });

  it("are parsed with offsets and fractions", () => {
    assert.equal(parseTime("2026-01-02T03:04:05.678Z"), Date.UTC(2026, 0, 2, 3, 4, 5, 678));
    assert.equal(parseTime("2026-01-02T03:04:05+01:30"), Date.UTC(2026, 0, 2, 1, 34, 5));
    assert.equal(new Date(parseTime("0099-03-01T00:00:00Z")).toISOString(), "0099-03-01T00:00:00.000Z");
  });

  it("are refused with the position of a syntax error", () => {
    const cases = [
      ["2026-01-02", 10, "expected 'T'"],
      ["2026-01-02t03:04:05Z", 10, "expected 'T'"],
      ["2026-13-02T03:04:05Z", 5, "expected a month from 01 to 12"],
      ["2026-02-30T03:04:05Z", 8, "expected a day this month has"],
      ["2026-02-00T03:04:05Z", 8, "expected a day this month has"],
      ["2026-01-02T24:00:00Z", 11, "expected an hour from 00 to 23"],
      ["2026-01-02T03:04:60Z", 17, "expected seconds from 00 to 59"],
      ["2026-01-02T03:04:05", 19, "expected a zone, 'Z' or an offset such as +01:00"],
      ["2026-01-02T03:04:05Z ", 20, "expected nothing after the zone"],
    ] as const;

    for (const [text, offset, problem] of cases) {
      const error = refusal(() => parseTime(text));
      assert.deepEqual([error.offset, error.problem], [offset, problem], text);
    }
  });

  it("are undefined for tryParseTime when they are absent or invalid", () => {
    assert.equal(tryParseTime("2026-01-02T03:04:05Z"), Date.UTC(2026, 0, 2, 3, 4, 5));
    assert.equal(tryParseTime("yesterday"), undefined);
    assert.equal(tryParseTime(""), undefined);
    assert.equal(tryParseTime(undefined), undefined);
  });

  it("are refused as arguments when they are out of range", () => {
    assert.throws(() => formatTime(Number.NaN), { code: "ARGUMENT" });
    assert.throws(() => formatTime(Infinity), { code: "ARGUMENT" });
    assert.throws(() => formatMicroTime(10n ** 30n), { code: "ARGUMENT" });
  });

  it("round-trip in every year from 0 to 9999", () => {
    fc.assert(
      fc.property(instants, fc.nat(999), (seconds, ms) => {
        assert.equal(parseTime(formatTime(seconds * 1000 + ms)), seconds * 1000);
        assert.equal(formatTime(seconds * 1000).length, 20);
      }),
      { numRuns: 3000 },
    );
  });

  it("have the same order as their texts", () => {
    fc.assert(
      fc.property(instants, instants, (a, b) => {
        assert.equal(a < b, formatTime(a * 1000) < formatTime(b * 1000));
      }),
    );
  });
});

describe("micro times", () => {
  it("keep every microsecond", () => {
    fc.assert(
      fc.property(instants, fc.nat(999_999), (seconds, micros) => {
        const instant = BigInt(seconds) * 1_000_000n + BigInt(micros);

        assert.equal(parseMicroTime(formatMicroTime(instant)), instant);
        assert.equal(formatMicroTime(instant).length, 27);
      }),
      { numRuns: 3000 },
    );
  });

  it("are formatted with six digits, and parsed only with six digits", () => {
    assert.equal(formatMicroTime(1n), "1970-01-01T00:00:00.000001Z");
    assert.equal(formatMicroTime(-1n), "1969-12-31T23:59:59.999999Z");
    assert.equal(refusal(() => parseMicroTime("2026-01-02T03:04:05Z")).offset, 19);
    assert.equal(refusal(() => parseMicroTime("2026-01-02T03:04:05.123Z")).offset, 19);
    assert.equal(refusal(() => parseMicroTime("2026-01-02T03:04:05.1234567Z")).offset, 26);
  });

  it("are converted from and to milliseconds of a clock", () => {
    assert.equal(microsFromMs(1_500), 1_500_000n);
    assert.equal(microsFromMs(-0.5), -500n);
    assert.equal(microsToMs(1_500n), 1.5);
    assert.throws(() => microsFromMs(Number.NaN), { code: "ARGUMENT" });
  });
});

describe("random time texts", () => {
  const alphabet = ["0", "9", "-", ":", ".", ",", "T", "Z", "+", " ", "t", "\0", "é", "24", "60"];
  const valid = [
    "2026-01-02T03:04:05Z",
    "2026-01-02T03:04:05.123456Z",
    "0000-12-31T23:59:59,9+24:60",
    "9999-02-28T3:00:00-23:59",
  ];
  const shapes: ((length: number) => string)[] = [
    (length) => `2026-01-02T03:04:05.${"9".repeat(length)}Z`,
    (length) => "2".repeat(length),
    (length) => `2026-01-02T03:04:05Z${" ".repeat(length)}`,
    (length) => `${" ".repeat(length)}2026-01-02T03:04:05Z`,
  ];

  /** In every other text only one digit or sign is changed; otherwise hardly any would be a valid time. */
  const changed = (chance: SeededRandom, index: number): string => {
    const text = chance.pick(valid);
    if (index % 2 === 0) return chance.mutate(text, alphabet);
    const at = chance.int(text.length);
    return text.slice(0, at) + chance.pick(["0", "1", "9", "-", "Z"]) + text.slice(at + 1);
  };

  for (const [name, read, print] of [
    ["time", parseTime, formatTime],
    ["micro time", parseMicroTime, formatMicroTime],
  ] as const) {
    it(`are parsed as a ${name} or refused with a ParseError, quickly`, () => {
      const { accepted } = fuzz({
        count: 100_000,
        seed: 26,
        input: (chance, index) =>
          index % 500 === 0 ? chance.pick(shapes)(chance.int(20_000)) : changed(chance, index),
        run: (text) => {
          const instant = read(text);

          assert.ok((print as (instant: number | bigint) => string)(instant).endsWith("Z"));
        },
        isExpected: (error) => error instanceof ParseError,
      });

      assert.ok(accepted > 2_000 && accepted < 98_000, `${accepted} accepted`);
    });
  }
});
