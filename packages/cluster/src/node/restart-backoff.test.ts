import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { backoffMsMax, nextBackoff, formatBackoff, backoffEnd } from "./restart-backoff.ts";

describe("the restart back-off", () => {
  it("doubles from 10 seconds to 5 minutes, and is formatted as in Go", () => {
    const pauses: string[] = [];
    for (let pause = nextBackoff(undefined, 0); pauses.length < 7; pause = nextBackoff(pause, 0))
      pauses.push(formatBackoff(pause));

    assert.deepEqual(pauses, ["10s", "20s", "40s", "1m20s", "2m40s", "5m0s", "5m0s"]);
  });

  it("never ends later than the longest back-off after the failure", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e9 }),
        fc.integer({ min: 0, max: 1e9 }),
        fc.integer({ min: 0, max: 20 }),
        (failedAt, later, times) => {
          let pause = nextBackoff(undefined, 0);
          for (let count = 0; count < times; count += 1) pause = nextBackoff(pause, 0);
          const until = backoffEnd(pause, failedAt, failedAt + later);
          assert.ok(until === undefined || (until > failedAt + later && until <= failedAt + backoffMsMax));
        },
      ),
    );
  });
});
