import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SeededRandom } from "@homeostat/core";
import { ReconnectBackoff } from "./backoff.ts";

describe("ReconnectBackoff", () => {
  it("waits a random time between 0.8 and 30 seconds, up to a limit that doubles with each failure", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 60 }), (seed, failures) => {
        const backoff = new ReconnectBackoff(new SeededRandom(seed));

        for (let n = 1; n <= failures; n += 1) {
          const wait = backoff.fail();
          assert.ok(wait >= 800 && wait <= Math.min(30_000, 800 * 2 ** n), `${wait} ms after ${n} failures`);
        }
        assert.equal(backoff.failures, failures);
      }),
    );
  });

  it("reaches its limit and does not repeat delays", () => {
    const backoff = new ReconnectBackoff(new SeededRandom("spread"));
    for (let n = 0; n < 10; n += 1) backoff.fail();

    const waits = Array.from({ length: 1000 }, () => backoff.fail());

    assert.ok(Math.max(...waits) > 29_000);
    assert.ok(Math.min(...waits) < 2000);
    assert.equal(new Set(waits).size, waits.length);
  });

  it("does not grow while connections are refused, nor afterwards because of them", () => {
    const backoff = new ReconnectBackoff(new SeededRandom("unheard"));

    const waits = Array.from({ length: 1000 }, () => backoff.failRefused());

    assert.ok(Math.min(...waits) >= 800 && Math.max(...waits) <= 2000, "never longer than two seconds");
    assert.equal(new Set(waits).size, waits.length);
    assert.equal(backoff.failures, 1000);
    assert.ok(backoff.fail() <= 1600, "the first failure of a server that responds");
  });

  it("starts again after a success", () => {
    const backoff = new ReconnectBackoff(new SeededRandom("again"));
    for (let n = 0; n < 10; n += 1) backoff.fail();

    backoff.reset();

    assert.ok(backoff.fail() <= 1600);
  });
});
