import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { EventuallyTimeoutError } from "../errors.ts";
import { eventually } from "./eventually.ts";

describe("eventually", () => {
  it("repeats an attempt while it throws or returns false", async () => {
    const results: (() => number | false)[] = [
      () => {
        throw new Error("not yet");
      },
      () => false,
      () => 0,
    ];

    assert.equal(await eventually(() => results.shift()?.() ?? assert.fail(), { stepMs: 0 }), 0);
  });

  it("advances a fake clock instead of waiting", async () => {
    const clock = new FakeClock();
    const start = clock.now();
    let isDue = false;
    clock.schedule(3_600_000, () => (isDue = true));

    await eventually(() => isDue, { clock, stepMs: 60_000, timeoutMs: 7_200_000 });

    assert.equal(clock.now() - start, 3_600_000);
  });

  it("throws the last error as the cause at the time limit", async () => {
    const last = new Error("still broken");

    await assert.rejects(
      eventually(() => Promise.reject(last), { clock: new FakeClock(), timeoutMs: 1_000 }),
      (error) => {
        assert.ok(error instanceof EventuallyTimeoutError);
        assert.equal(error.cause, last);
        assert.equal(error.message, "Not true within 1000 ms of virtual time: still broken");
        return true;
      },
    );
  });
});
