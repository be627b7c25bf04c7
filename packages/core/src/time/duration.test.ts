import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import fc from "fast-check";
import { ParseError } from "../errors/parse-error.ts";
import {
  durationFromMs,
  durationToMs,
  formatDuration,
  formatElapsedMs,
  parseDuration,
  tryParseDuration,
} from "./duration.ts";
import { humanDuration, shortHumanDuration } from "./human-duration.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

function refusal(text: string): ParseError {
  try {
    parseDuration(text);
  } catch (error) {
    if (error instanceof ParseError) return error;
  }
  throw new Error(`${text} was accepted`);
}

describe("durations", () => {
  it("are the sum of their parts", () => {
    const cases = [
      ["1h30m", 5_400_000_000_000n],
      ["1.5s", 1_500_000_000n],
      ["-100ms", -100_000_000n],
      ["2us", 2_000n],
      ["2µs", 2_000n],
      ["2μs", 2_000n],
      [".5ms", 500_000n],
      ["+0", 0n],
    ] as const;

    for (const [text, nanoseconds] of cases) assert.equal(parseDuration(text), nanoseconds, text);
  });

  it("are formatted as in Go", () => {
    const cases = [
      [0n, "0s"],
      [1n, "1ns"],
      [1_100n, "1.1µs"],
      [2_000_000n, "2ms"],
      [1_500_000_000n, "1.5s"],
      [90_000_000_000n, "1m30s"],
      [3_600_000_000_000n, "1h0m0s"],
      [-(2n ** 63n), "-2562047h47m16.854775808s"],
    ] as const;

    for (const [nanoseconds, text] of cases) assert.equal(formatDuration(nanoseconds), text);
  });

  it("report the position of a syntax error", () => {
    const cases = [
      ["", 0, /expected a number and a unit/],
      ["-", 1, /expected a number and a unit/],
      ["1h30", 4, /missing unit/],
      ["1h30x", 4, /unknown unit/],
      ["3d", 1, /unknown unit/],
      ["1h.m", 2, /expected a number/],
      ["1h9223372036854775807s", 2, /292 years/],
      ["2562048h", 0, /292 years/],
    ] as const;

    for (const [text, offset, problem] of cases) {
      const error = refusal(text);
      assert.equal(error.offset, offset, text);
      assert.match(error.problem, problem);
    }
  });

  it("are converted to and from milliseconds", () => {
    assert.equal(durationToMs(parseDuration("1.5s")), 1500);
    assert.equal(durationToMs(-1_500_000n), -1.5);
    assert.equal(durationFromMs(1500), 1_500_000_000n);
    assert.equal(durationFromMs(-0.25), -250_000n);
  });

  it("round-trip through text", () => {
    fc.assert(
      fc.property(int64, (nanoseconds) => {
        assert.equal(parseDuration(formatDuration(nanoseconds)), nanoseconds);
      }),
      { numRuns: 3000 },
    );
  });

  it("round-trip through milliseconds", () => {
    fc.assert(
      fc.property(fc.integer(), (ms) => {
        assert.equal(durationToMs(durationFromMs(ms)), ms);
      }),
    );
  });

  it("are parsed from random texts or refused with a ParseError, quickly", () => {
    const alphabet = ["0", "9", ".", "-", "+", "h", "m", "s", "ms", "us", "µs", "ns", " ", "e", "\0", "d"];
    const valid = ["1h30m", "1.5s", "-100ms", "2562047h47m16.854775807s", "0", "0.000000001s", "3µs4ns"];
    const shapes: ((length: number) => string)[] = [
      (length) => "1s".repeat(length),
      (length) => "0".repeat(length),
      (length) => `${"0".repeat(length)}1s`,
      (length) => `0.${"0".repeat(length)}1h`,
      (length) => `0.${"9".repeat(length)}h`,
      (length) => "9".repeat(length),
      (length) => ".".repeat(length),
      (length) => `1${"h".repeat(length)}`,
    ];

    const { accepted } = fuzz({
      count: 100_000,
      seed: 30,
      input: (chance, index) =>
        index % 500 === 0 ? chance.pick(shapes)(chance.int(20_000)) : chance.mutate(chance.pick(valid), alphabet),
      run: (text) => {
        const quiet = tryParseDuration(text);
        const nanoseconds = parseDuration(text);

        assert.equal(quiet, nanoseconds);
        assert.equal(parseDuration(formatDuration(nanoseconds)), nanoseconds);
      },
      isExpected: (error) => error instanceof ParseError && tryParseDuration(error.input) === undefined,
    });

    assert.ok(accepted > 5_000 && accepted < 95_000, `${accepted} accepted`);
  });
});

describe("humanDuration and shortHumanDuration", () => {
  it("format ages with two or three figures", () => {
    const cases = [
      [5_000, "5s"],
      [119_999, "119s"],
      [123_000, "2m3s"],
      [900_000, "15m"],
      [5 * 3_600_000, "5h"],
      [5.5 * 3_600_000, "5h30m"],
      [3 * 86_400_000, "3d"],
      [75 * 3_600_000, "3d3h"],
      [800 * 86_400_000, "2y70d"],
      [-1_500, "0s"],
      [-2_000, "<invalid>"],
      [Number.NaN, "<invalid>"],
    ] as const;

    for (const [ms, text] of cases) assert.equal(humanDuration(ms), text);
  });

  it("format elapsed times in whole seconds", () => {
    assert.deepEqual([0, 499, 59_600, 61_000, 7_384_000].map(formatElapsedMs), ["0s", "0s", "1m0s", "1m1s", "2h3m4s"]);
  });

  it("format ages with one unit for narrow columns", () => {
    assert.equal(shortHumanDuration(119_000), "1m");
    assert.equal(shortHumanDuration(400 * 86_400_000), "1y");
    assert.equal(shortHumanDuration(-1), "0s");
    assert.equal(shortHumanDuration(-3_000), "<invalid>");
  });
});
