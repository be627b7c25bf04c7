import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { IdleMemory } from "./idle-memory.ts";

const megabyte = 1e6;

/** A process whose usage the test sets, and whose heap has `needed` bytes after a collection. */
function rig({ needed = 15 * megabyte, ...limits }: { needed?: number; restShare?: number; restMs?: number } = {}) {
  const clock = new FakeClock();
  const use = { cpuMs: 0, heapTotal: needed, heapUsed: needed, collections: 0, releases: 0 };
  const memory = new IdleMemory({
    ...limits,
    clock,
    source: {
      cpuUsage: () => ({ user: use.cpuMs * 1000, system: 0 }),
      memoryUsage: () => ({ heapTotal: use.heapTotal, heapUsed: use.heapUsed }),
    },
    release: () => {
      use.releases += 1;
      assert.equal(use.releases, use.collections + 1, "release is called before collect");
    },
    collect: () => {
      use.collections += 1;
      use.cpuMs += 80;
      use.heapTotal = needed;
      use.heapUsed = needed;
    },
  });
  const stop = new AbortController();
  const running = memory.run(stop.signal);
  /** Advances the clock, with the given CPU usage. */
  const pass = async (seconds: number, share: number): Promise<void> => {
    for (let i = 0; i < seconds; i += 1) {
      use.cpuMs += share * 1000;
      await clock.advance(1000);
    }
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    assert.equal(clock.pending, 0);
  };
  return { use, pass, end };
}

describe("IdleMemory", () => {
  it("collects once after a burst, when the program is idle", async () => {
    const { use, pass, end } = rig();

    await pass(30, 0.8);
    use.heapTotal = 160 * megabyte;
    await pass(30, 0.8);
    assert.equal(use.collections, 0, "no collection while the program is busy");
    await pass(120, 0.001);

    assert.deepEqual([use.releases, use.collections], [1, 1]);
    await end();
  });

  it("collects again only after the next burst, and at most every 20 seconds", async () => {
    const { use, pass, end } = rig();

    for (let burst = 0; burst < 3; burst += 1) {
      use.heapTotal = 100 * megabyte;
      await pass(90, 0.001);
    }
    assert.equal(use.collections, 3);
    for (let burst = 0; burst < 12; burst += 1) {
      use.heapTotal = 100 * megabyte;
      await pass(10, 0.001);
    }

    assert.equal(use.collections, 9);
    await end();
  });

  it("does not collect when little memory can be returned, or the heap is too large", async () => {
    const small = rig({ needed: 3 * megabyte });
    const large = rig({ needed: 900 * megabyte });

    small.use.heapTotal = 3.9 * megabyte;
    large.use.heapTotal = 1300 * megabyte;
    await small.pass(60, 0.001);
    await large.pass(60, 0.001);

    assert.deepEqual([small.use.collections, large.use.collections], [0, 0]);
    await small.end();
    await large.end();
  });

  it("collects soon after every burst of a minute, even if the first collection came right before one", async () => {
    const { use, pass, end } = rig();
    use.heapTotal = 60 * megabyte;
    await pass(10, 0.001);
    assert.equal(use.collections, 1);

    for (let minute = 1; minute <= 5; minute += 1) {
      use.heapTotal = 40 * megabyte;
      await pass(5, 0.14);
      await pass(25, 0.001);
      assert.equal(use.collections, 1 + minute, "half a minute after the burst");
      await pass(30, 0.001);
    }

    await end();
  });

  it("collects the garbage of periodic reconciles at rest, and not that of single ones", async () => {
    const { use, pass, end } = rig();
    await pass(30, 0.001);
    assert.equal(use.collections, 1, "the first collection after the start");

    use.heapTotal = 18 * megabyte;
    await pass(120, 0.001);
    assert.equal(use.collections, 1);
    use.heapTotal = 25 * megabyte;
    await pass(120, 0.001);

    assert.equal(use.collections, 2);
    await end();
  });

  it("waits until the program was idle for the configured time without a break", async () => {
    const { use, pass, end } = rig({ restShare: 0.01, restMs: 30_000 });
    use.heapTotal = 100 * megabyte;

    for (let burst = 0; burst < 5; burst += 1) {
      await pass(5, 0.06);
      await pass(25, 0.001);
    }
    assert.equal(use.collections, 0, "no collection between bursts");
    await pass(10, 0.001);

    assert.equal(use.collections, 1);
    await end();
  });

  it("does not collect under light load above the configured share", async () => {
    const { use, pass, end } = rig({ restShare: 0.01, restMs: 30_000 });
    use.heapTotal = 100 * megabyte;

    await pass(300, 0.03);

    assert.equal(use.collections, 0);
    await end();
  });

  it("does nothing and keeps no timer when collections are not available", async () => {
    const clock = new FakeClock();
    const memory = new IdleMemory({ clock, source: process, collect: undefined });

    await memory.run(new AbortController().signal);

    assert.equal(clock.pending, 0);
  });
});
