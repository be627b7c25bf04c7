import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { TraceKeys } from "./trace-keys.ts";

const key = "k3v9q2m7x1c4d";

describe("TraceKeys", () => {
  it("restores the key of a trace, also for the requests after that", () => {
    let restored = 0;
    const traces = new TraceKeys({ clock: new FakeClock(), onRestored: () => (restored += 1) });
    traces.see("t1", key);
    assert.equal(traces.restore("t1"), key);
    assert.equal(traces.restore("t1"), key);
    assert.equal(traces.restore("t2"), undefined);
    assert.equal(restored, 2);
  });

  it("restores nothing if requests of the trace had other keys or none", () => {
    const traces = new TraceKeys({ clock: new FakeClock() });
    traces.see("t1", key);
    traces.see("t1", "other-key");
    traces.see("t1", key);
    assert.equal(traces.restore("t1"), undefined);
    traces.see("t2", undefined);
    traces.see("t2", key);
    assert.equal(traces.restore("t2"), undefined);
    assert.equal(traces.restore("t3"), undefined);
    traces.see("t3", key);
    assert.equal(traces.restore("t3"), undefined);
    traces.see("t4", key);
    traces.see("t4", undefined);
    assert.equal(traces.restore("t4"), undefined);
  });

  it("remembers a trace for 60 seconds after its last request", async () => {
    const clock = new FakeClock();
    const traces = new TraceKeys({ clock });
    for (const trace of ["below", "at"]) traces.see(trace, key);
    await clock.advance(59_999);
    assert.equal(traces.restore("below"), key);
    await clock.advance(1);
    assert.equal(traces.restore("at"), undefined);
    await clock.advance(59_998);
    assert.equal(traces.restore("below"), key);
  });

  it("remembers as many traces as the limit allows, and forgets the oldest", () => {
    for (const [count, kept, isFirstKnown] of [
      [2, 2, true],
      [3, 3, true],
      [4, 3, false],
    ] as const) {
      const traces = new TraceKeys({ clock: new FakeClock(), tracesMax: 3 });
      for (let index = 0; index < count; index += 1) traces.see(`t${index}`, key);
      assert.equal(traces.size, kept);
      assert.equal(traces.restore("t0") === key, isFirstKnown);
    }
  });

  it("keeps no trace whose time is over, whatever the limit is", async () => {
    const clock = new FakeClock();
    const traces = new TraceKeys({ clock });
    for (let index = 0; index < 100; index += 1) traces.see(`t${index}`, key);
    await clock.advance(60_000);
    traces.see("new", key);
    assert.equal(traces.size, 1);
  });
});
