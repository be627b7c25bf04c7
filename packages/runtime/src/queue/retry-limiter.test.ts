import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import * as fc from "fast-check";
import { exponentialBackoff, maxOf, tokenBucket } from "./retry-limiter.ts";

const failed = (failures: number): { key: string; failures: number } => ({ key: "a", failures });

describe("exponentialBackoff", () => {
  it("has client-go's delays by default: 5 ms, doubled, up to 1000 s", () => {
    const delay = exponentialBackoff();

    const delays = [1, 2, 3, 10, 18, 19, 20, 1000, Number.MAX_SAFE_INTEGER].map((n) => delay(failed(n)));

    assert.deepEqual(delays, [5, 10, 20, 2560, 655_360, 1e6, 1e6, 1e6, 1e6]);
  });

  it("accepts a base, a factor and a cap", () => {
    const delay = exponentialBackoff({ baseMs: 100, factor: 3, capMs: 1000 });

    assert.deepEqual(
      [1, 2, 3, 4].map((n) => delay(failed(n))),
      [100, 300, 900, 1000],
    );
    assert.equal(exponentialBackoff({ baseMs: 0 })(failed(5000)), 0);
  });

  it("shortens delays by at most the given fraction with jitter", () => {
    const random = new SeededRandom("jitter");
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, fraction) => {
        const plain = exponentialBackoff()(failed(failures));

        const delayMs = exponentialBackoff({ jitter: { fraction, random } })(failed(failures));

        assert.ok(delayMs <= plain && delayMs >= plain * (1 - fraction));
      }),
      { numRuns: 300 },
    );
  });

  it("rejects invalid delays", () => {
    const random = new SeededRandom(1);
    for (const options of [
      { baseMs: -1 },
      { baseMs: Number.NaN },
      { baseMs: 10, capMs: 5 },
      { capMs: Infinity },
      { capMs: Number.NaN },
      { factor: 0.5 },
      { factor: Number.NaN },
      { jitter: { fraction: 1.5, random } },
      { jitter: { fraction: Number.NaN, random } },
    ]) {
      assert.throws(() => exponentialBackoff(options), { code: "ARGUMENT" });
    }
  });
});

describe("tokenBucket", () => {
  it("allows a burst and spreads further retries", async () => {
    const clock = new FakeClock();
    const delay = tokenBucket({ perSecond: 10, burst: 3, clock });

    const delays = Array.from({ length: 6 }, () => delay(failed(1)));

    assert.deepEqual(delays, [0, 0, 0, 100, 200, 300]);
    await clock.advance(250);
    assert.equal(delay(failed(1)), 150, "half a token was added since three were promised");
  });

  it("refills while idle, up to the burst", async () => {
    const clock = new FakeClock();
    const delay = tokenBucket({ perSecond: 10, burst: 2, clock });
    for (let i = 0; i < 5; i += 1) delay(failed(1));

    await clock.advance(60_000);

    assert.deepEqual([delay(failed(1)), delay(failed(1)), delay(failed(1))], [0, 0, 100]);
  });

  it("never exceeds its rate in any period", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 5 }), (gapsMs, perSecond, burst) => {
        let now = 0;
        const delay = tokenBucket({
          perSecond,
          burst,
          clock: Object.assign(new FakeClock(), { monotonic: () => now }),
        });
        const moments = gapsMs.map((gap) => {
          now += gap;
          return now + delay(failed(1));
        });

        for (const [i, from] of moments.entries()) {
          for (const [j, to] of moments.entries()) {
            if (j >= i) assert.ok(j - i + 1 <= burst + ((to - from) / 1000) * perSecond + 1e-6);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it("rejects rates of zero and infinity", () => {
    const clock = new FakeClock();
    for (const perSecond of [0, -1, Infinity, Number.NaN]) {
      assert.throws(() => tokenBucket({ perSecond, burst: 1, clock }), { code: "ARGUMENT" });
    }
    for (const burst of [0, Number.NaN]) {
      assert.throws(() => tokenBucket({ perSecond: 1, burst, clock }), { code: "ARGUMENT" });
    }
  });
});

describe("maxOf", () => {
  it("returns the longest delay and calls every limiter", () => {
    const clock = new FakeClock();
    const delay = maxOf(exponentialBackoff(), tokenBucket({ perSecond: 10, burst: 1, clock }));

    assert.deepEqual([delay(failed(1)), delay(failed(1)), delay(failed(10))], [5, 100, 2560]);
    assert.equal(delay(failed(1)), 300, "the third one took a token, too");
    assert.equal(maxOf()(failed(1)), 0);
  });
});
