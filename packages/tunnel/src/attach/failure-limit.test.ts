import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { FailureLimit } from "./failure-limit.ts";

describe("FailureLimit", () => {
  it("blocks a source after its failures, until the window has passed", async () => {
    const clock = new FakeClock();
    const limit = new FailureLimit({ clock, failuresMax: 3, windowMs: 60_000, sourcesMax: 10 });

    for (let failure = 0; failure < 2; failure += 1) limit.fail("10.0.0.1");
    assert.ok(!limit.isBlocked("10.0.0.1"));
    limit.fail("10.0.0.1");
    assert.ok(limit.isBlocked("10.0.0.1"));
    assert.ok(!limit.isBlocked("10.0.0.2"));
    await clock.advance(59_999);
    assert.ok(limit.isBlocked("10.0.0.1"));
    await clock.advance(1);

    assert.ok(!limit.isBlocked("10.0.0.1"));
  });

  it("forgets the source whose last failure is the oldest", () => {
    const limit = new FailureLimit({ clock: new FakeClock(), failuresMax: 2, windowMs: 60_000, sourcesMax: 2 });

    for (const source of ["a", "b", "a", "c"]) limit.fail(source);

    assert.deepEqual(
      ["a", "b", "c"].map((source) => limit.isBlocked(source)),
      [true, false, false],
    );
    limit.fail("b");
    assert.ok(!limit.isBlocked("b"), "its first failure was forgotten");
  });
});
