import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom, fuzz } from "./fuzz.ts";

describe("fuzz", () => {
  it("accepts results and the expected error, and counts the results", () => {
    const { accepted } = fuzz({
      count: 100,
      input: (chance) => chance.int(10),
      run: (n) => {
        if (n > 5) throw new RangeError("too large");
      },
      isExpected: (error) => error instanceof RangeError,
    });

    assert.ok(accepted > 0 && accepted < 100, `${accepted} accepted`);
  });

  it("runs a sample if the number of inputs is limited, and projects the count of results", () => {
    let runs = 0;
    const options = { count: 1000, input: (_: SeededRandom, n: number) => n, isExpected: () => true };
    const run = (n: number): void => {
      runs += 1;
      if (n % 2 === 1) throw new RangeError("odd");
    };

    assert.deepEqual(fuzz({ ...options, run }, "100"), { accepted: 500 });
    assert.equal(runs, 100);
    assert.throws(() => fuzz({ ...options, run }, "few"), /HOMEOSTAT_FUZZ_INPUTS is "few"; set it to a number/);
  });

  it("reports any other error with its input", () => {
    assert.throws(
      () => fuzz({ count: 1, input: () => "boom", run: () => JSON.parse("{"), isExpected: () => false }),
      /unexpected SyntaxError.*boom/,
    );
  });

  it("reports an input that is slow every time", () => {
    // Burns CPU time, which is what fuzz measures: on a busy machine wall time passes faster.
    const run = (): void => {
      const begun = process.cpuUsage();
      while (process.cpuUsage(begun).user < 10_000);
    };
    assert.throws(
      () => fuzz({ count: 1, input: () => "slow", run, isExpected: () => false, milliseconds: 5 }),
      /ms for .*slow/,
    );
  });

  it("reports a change of Object.prototype", () => {
    const target: object = Object.getPrototypeOf({});
    const run = (): void => void Object.defineProperty(target, "mark", { value: 1, configurable: true });
    try {
      assert.throws(
        () => fuzz({ count: 1, input: () => "", run, isExpected: () => false }),
        /Object\.prototype was changed/,
      );
    } finally {
      Reflect.deleteProperty(target, "mark");
    }
  });
});

describe("SeededRandom", () => {
  it("returns the same values for the same seed", () => {
    const a = new SeededRandom(7);
    const b = new SeededRandom(7);

    assert.deepEqual(
      [a.int(100), a.int(100), a.mutate("hello", ["x"])],
      [b.int(100), b.int(100), b.mutate("hello", ["x"])],
    );
  });
});
