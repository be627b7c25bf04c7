import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CpuTimes, formatLimit, limitsOf } from "./limits.ts";

const times: CpuTimes = {
  "decide by key, 1 entry": 150,
  "decide by key, 20,000 entries, the same key": 150,
  "decide by key, 20,000 entries, any key": 400,
  "decide without a key, 20,000 entries": 70,
  "scan 1 KiB of baggage with the key at its end": 700,
  "scan 1 KiB of baggage without a key": 700,
  "compile a table of 20,000 entries": 1e7,
  "parse a table of 20,000 entries": 1e8,
};

/** Returns the names of the exceeded limits. */
function exceeded(change: Partial<CpuTimes>): string[] {
  return limitsOf({ ...times, ...change }).flatMap(({ name, value, max }) => (value > max ? [name] : []));
}

describe("the limits of decisions", () => {
  it("accept the times of an idle machine", () => assert.deepEqual(exceeded({}), []));

  it("find a lookup that grows with the number of entries", () => {
    assert.deepEqual(exceeded({ "decide by key, 20,000 entries, the same key": 226 }), [
      "20,000 entries to 1, the same key",
    ]);
    assert.deepEqual(exceeded({ "decide by key, 20,000 entries, any key": 6000 }), [
      "decide by key, 20,000 entries, any key",
    ]);
  });

  it("find a slow scan", () => {
    assert.deepEqual(exceeded({ "scan 1 KiB of baggage without a key": 1001 }), ["scan 1 KiB of baggage"]);
  });

  it("are printed with their values", () => {
    const lines = limitsOf({ ...times, "scan 1 KiB of baggage without a key": 1500 }).map(formatLimit);

    assert.equal(lines[1], "ok   20,000 entries to 1, the same key: 1.00 ×, limit 1.5 ×");
    assert.equal(lines[3], "OVER scan 1 KiB of baggage: 1500 ns, limit 1000 ns");
  });
});
