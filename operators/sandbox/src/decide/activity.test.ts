import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideActivity, lifetimeBy } from "./activity.ts";

const minute = 60_000;

function decide(now: number, recorded: number | undefined, ...reported: number[]): ReturnType<typeof decideActivity> {
  return decideActivity({
    recorded,
    reported,
    lifetime: lifetimeBy({
      ttl: "1h",
      ttlFrom: "LastActivity",
      createdAt: 0,
      updatedAt: 0,
      ttlSecondsMax: undefined,
      now,
    }),
  });
}

describe("decideActivity", () => {
  it("has no time before the first request", () => {
    const { newest, recorded, lifetime } = decide(minute, undefined);
    assert.deepEqual([newest, recorded, lifetime.state], [undefined, undefined, "alive"]);
  });

  it("takes the newest of all tables, and records it at once if no time is recorded", () => {
    const { newest, recorded } = decide(10 * minute, undefined, 3 * minute, 5 * minute);
    assert.deepEqual([newest, recorded], [5 * minute, 5 * minute]);
  });

  it("records a newer time after a minute", () => {
    for (const [reported, expected] of [
      [5 * minute + 59_999, 5 * minute],
      [6 * minute, 6 * minute],
    ] as const) {
      const { newest, recorded, lifetime } = decide(7 * minute, 5 * minute, reported);
      assert.deepEqual([newest, recorded], [reported, expected]);
      assert.equal(lifetime.state === "alive" && lifetime.expiresAt, expected + 60 * minute);
    }
  });

  it("never goes back when a table and its reports are gone", () => {
    const { newest, recorded } = decide(7 * minute, 5 * minute, 4 * minute);
    assert.deepEqual([newest, recorded], [5 * minute, 5 * minute]);
  });

  it("does not let a sandbox expire because of the lag", () => {
    const { recorded, lifetime } = decide(60 * minute, 0, 30_000);
    assert.deepEqual([recorded, lifetime.state], [30_000, "expiring"]);
  });
});
