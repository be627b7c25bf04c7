import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import fc from "fast-check";
import { type HotLoop, HotLoops, type NotedChange } from "./hot-loops.ts";

const change: NotedChange = {
  key: "default/a",
  target: "apply deployments.apps default/a",
  fields: ["spec.replicas"],
  digest: "2",
};

async function repeat(
  loops: HotLoops,
  clock: FakeClock,
  times: number,
  everyMs: number,
): Promise<(HotLoop | undefined)[]> {
  const found: (HotLoop | undefined)[] = [];
  for (let count = 0; count < times; count += 1) {
    found.push(loops.note(change));
    await clock.advance(everyMs);
  }
  return found;
}

describe("HotLoops", () => {
  it("detects five equal writes within a minute, and names the field", async () => {
    const clock = new FakeClock();
    const loops = new HotLoops({ clock });

    const found = await repeat(loops, clock, 5, 10_000);

    assert.deepEqual(found.slice(0, 4), [undefined, undefined, undefined, undefined]);
    assert.deepEqual(found[4], {
      key: "default/a",
      target: change.target,
      fields: ["spec.replicas"],
      type: "repeat",
      others: [],
      repeats: 5,
      holdMs: 1000,
      heldUntil: clock.now() - 10_000 + 1000,
    });
  });

  it("ignores slow repetition", async () => {
    const clock = new FakeClock();

    const found = await repeat(new HotLoops({ clock }), clock, 50, 20_000);

    assert.ok(found.every((loop) => loop === undefined));
  });

  it("doubles the delay up to a limit, even when it is longer than the window", async () => {
    const clock = new FakeClock();
    const loops = new HotLoops({ clock });
    await repeat(loops, clock, 4, 0);
    const holds: number[] = [];

    for (let round = 0; round < 12; round += 1) {
      const loop = loops.note(change);
      holds.push(loop?.holdMs ?? 0);
      await clock.advance(loops.holdMsOf("default/a"));
    }

    assert.deepEqual(holds.slice(0, 4), [1000, 2000, 4000, 8000]);
    assert.equal(holds.at(-1), 300_000);
  });

  it("starts again after a quiet time", async () => {
    const clock = new FakeClock();
    const loops = new HotLoops({ clock });
    await repeat(loops, clock, 6, 0);
    await clock.advance(63_000);

    assert.equal(loops.note(change), undefined);
    assert.equal(loops.holdMsOf("default/a"), 0);
  });

  it("distinguishes keys, targets, fields and values", () => {
    const loops = new HotLoops({ clock: new FakeClock() });
    const variants = [change, { ...change, key: "b" }, { ...change, target: "t" }, { ...change, fields: ["x"] }];

    const found = [1, 2, 3, 4].flatMap(() => variants.map((variant) => loops.note(variant)));

    assert.ok(found.every((loop) => loop === undefined));
    assert.equal(loops.note({ ...change, digest: "3" }), undefined);
    assert.equal(loops.note(change)?.repeats, 5);
  });

  it("does not count equal writes for other inputs as repetitions, but still those for the same input", async () => {
    const clock = new FakeClock();
    const loops = new HotLoops({ clock });
    for (let generation = 1; generation <= 40; generation += 1) {
      assert.equal(loops.note({ ...change, digest: String(generation % 2), input: `uid/${generation}` }), undefined);
      await clock.advance(1_000);
    }
    assert.equal(loops.holdMsOf(change.key), 0);
    assert.equal(loops.isSuspect(change.key, change.target), false);

    const found = [1, 2, 3, 4, 5].map(() => loops.note({ ...change, input: "uid/41" })?.repeats);
    assert.deepEqual(found, [undefined, undefined, undefined, undefined, 5]);
  });

  it("detects equal writes that change the input each time, above a higher limit", async () => {
    const clock = new FakeClock();
    const loops = new HotLoops({ clock });
    let found: HotLoop | undefined;
    let writes = 0;
    while (found === undefined && writes < 1_000) {
      writes += 1;
      found = loops.note({ ...change, input: `uid/${writes}` });
      await clock.advance(400);
    }

    assert.deepEqual([found?.type, found?.repeats, writes], ["repeat", 120, 120]);
  });

  it("detects fields whose values change many times a second", async () => {
    const clock = new FakeClock();
    const loops = new HotLoops({ clock });
    let found: HotLoop | undefined;
    for (let count = 0; count < 50; count += 1) {
      found = loops.note({ ...change, digest: String(count) });
      await clock.advance(100);
    }

    assert.deepEqual([found?.type, found?.repeats], ["churn", 50]);
  });

  it("ignores a value that changes once a second", async () => {
    const clock = new FakeClock();
    const loops = new HotLoops({ clock });
    for (let count = 0; count < 200; count += 1) {
      assert.equal(loops.note({ ...change, digest: String(count) }), undefined);
      await clock.advance(1000);
    }
  });

  it("suspects a target after a repeated write, and names the other managers", () => {
    const loops = new HotLoops({ clock: new FakeClock(), repeatsMax: 3 });
    loops.note(change);
    assert.equal(loops.isSuspect(change.key, change.target), false);

    loops.note(change);
    assert.equal(loops.isSuspect(change.key, change.target), true);
    loops.blame(change.key, change.target, ["kubectl-edit"]);
    const loop = loops.note(change);

    assert.deepEqual([loop?.type, loop?.others], ["fight", ["kubectl-edit"]]);
  });

  it("counts the creation of the same object once", () => {
    const loops = new HotLoops({ clock: new FakeClock() });
    const made = { ...change, fields: [], digest: "" };
    const same = Array.from({ length: 9 }, () => loops.note({ ...made, madeUid: "a" }));
    const others = ["b", "c", "d", "e"].map((madeUid) => loops.note({ ...made, madeUid }));

    assert.ok(same.every((loop) => loop === undefined));
    assert.deepEqual(
      others.map((loop) => loop?.repeats),
      [undefined, undefined, undefined, 5],
    );
  });

  it("forgets deleted objects, and limits its memory", () => {
    const loops = new HotLoops({ clock: new FakeClock(), keysMax: 10 });
    for (let number = 0; number < 100; number += 1) loops.note({ ...change, key: `default/${number}` });

    assert.equal(loops.size, 10);
    loops.forget("default/99");
    assert.equal(loops.size, 9);
  });

  it("releases keys whose last write is older than the window", async () => {
    const clock = new FakeClock();
    const loops = new HotLoops({ clock });
    loops.note(change);
    await clock.advance(50_000);
    loops.note({ ...change, key: "default/b" });
    await clock.advance(20_000);

    loops.releaseQuiet();

    assert.equal(loops.size, 1);
    await clock.advance(50_000);
    loops.releaseQuiet();
    assert.equal(loops.size, 0);
  });

  it("keeps keys that are delayed or suspect when it releases memory", async () => {
    const clock = new FakeClock();
    const loops = new HotLoops({ clock, holdMsMin: 100_000 });
    await repeat(loops, clock, 5, 0);
    await clock.advance(70_000);

    loops.releaseQuiet();

    assert.equal(loops.holdMsOf(change.key), 30_000);
    await clock.advance(200_000);
    loops.releaseQuiet();
    assert.equal(loops.isSuspect(change.key, change.target), true);
    await clock.advance(100_000);
    loops.releaseQuiet();
    assert.equal(loops.size, 0);
  });

  it("finds the same loops whether or not memory is released in between", async () => {
    const step = fc.record({
      key: fc.constantFrom("a", "b"),
      target: fc.constantFrom("t", "u"),
      digest: fc.constantFrom("1", "2"),
      waitMs: fc.constantFrom(0, 500, 5000, 61_000, 70_000, 400_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clock = new FakeClock();
        const options = { clock, churnMax: 6, churnWindowMs: 8000 };
        const [released, kept] = [new HotLoops(options), new HotLoops(options)];
        for (const { waitMs, ...each } of steps) {
          released.releaseQuiet();

          assert.deepEqual(released.note({ ...change, ...each }), kept.note({ ...change, ...each }));
          await clock.advance(waitMs);
          released.releaseQuiet();
          for (const key of ["a", "b"]) {
            assert.equal(released.holdMsOf(key), kept.holdMsOf(key));
            for (const target of ["t", "u"]) assert.equal(released.isSuspect(key, target), kept.isSuspect(key, target));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it("never delays below the limit, longer than the maximum, or another key", async () => {
    const step = fc.record({
      key: fc.constantFrom("a", "b"),
      digest: fc.constantFrom("1", "2"),
      waitMs: fc.constantFrom(0, 500, 5000, 70_000, 400_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const clock = new FakeClock();
        const loops = new HotLoops({ clock });
        const counts = new Map<string, number>();
        for (const { key, digest, waitMs } of steps) {
          const count = (counts.get(key + digest) ?? 0) + 1;
          counts.set(key + digest, count);

          const loop = loops.note({ ...change, key, digest });

          if (loop !== undefined) {
            assert.ok(count >= 5 && loop.repeats <= count && loop.key === key);
            assert.ok(loop.holdMs >= 1000 && loop.holdMs <= 300_000);
            assert.ok(loops.holdMsOf(key) >= loop.holdMs);
          }
          const hasLooped = [...counts].some(([name, times]) => name.startsWith(key) && times >= 5);
          assert.ok(hasLooped || loops.holdMsOf(key) === 0);
          await clock.advance(waitMs);
        }
      }),
      { numRuns: 200 },
    );
  });
});
