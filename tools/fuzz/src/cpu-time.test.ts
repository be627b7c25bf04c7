import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cpuMs } from "./cpu-time.ts";

describe("cpuMs", () => {
  it("counts the time in which the process computes", () => {
    const begun = process.cpuUsage();

    const ms = cpuMs(() => {
      while (process.cpuUsage(begun).user < 30_000);
    });

    assert.ok(ms >= 20, `${ms} ms`);
  });

  it("does not count the time in which the process waits", () => {
    // The thread sleeps; other threads of the process may still compile or collect garbage.
    const ms = cpuMs(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500));

    assert.ok(ms < 400, `${ms} ms`);
  });
});
