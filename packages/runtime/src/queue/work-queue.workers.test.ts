import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import * as fc from "fast-check";
import type { QueueItem } from "./queue-item.ts";
import { WorkQueue } from "./work-queue.ts";

function setup(): { queue: WorkQueue; clock: FakeClock } {
  const clock = new FakeClock();
  return { queue: new WorkQueue({ name: "test", clock }), clock };
}

/** Takes keys until there are no more, and processes each for a while. */
async function work(
  queue: WorkQueue,
  { clock, ms, signal }: { clock: FakeClock; ms: number; signal?: AbortSignal },
): Promise<string[]> {
  const keys: string[] = [];
  for await (const item of queue.take(signal)) {
    keys.push(item.key);
    await clock.sleep(ms);
    queue.done(item);
  }
  return keys;
}

describe("workers of a WorkQueue", () => {
  it("receive keys as they are added, in the order in which the workers started to wait", async () => {
    const { queue } = setup();
    const first = queue.wait();
    const second = queue.wait();

    queue.add("a");
    queue.add("b");

    assert.deepEqual([(await first)?.key, (await second)?.key], ["a", "b"]);
  });

  it("receive a burst of adds as one item, the highest priority first", async () => {
    const { queue } = setup();
    const waiting = queue.wait();

    queue.add("low", { priority: -100 });
    queue.add("high");
    queue.add("high");

    const item = await waiting;
    assert.deepEqual([item?.key, item?.adds], ["high", 2]);
    assert.equal(queue.waiting, 1);
  });

  it("receive a key when its delay ends", async () => {
    const { queue, clock } = setup();
    const waiting = queue.wait();
    queue.addAfter("a", 100);
    queue.addAfter("b", 50);
    queue.cancel("b");

    await clock.advance(100);

    assert.equal((await waiting)?.key, "a");
    assert.equal(clock.pending, 0);
  });

  it("stop when their signal aborts, and leave nothing behind", async () => {
    const { queue, clock } = setup();
    const stop = new AbortController();
    const workers = Array.from({ length: 50 }, () => work(queue, { clock, ms: 10, signal: stop.signal }));
    const waiting = queue.wait(stop.signal);
    await clock.advance(0);
    assert.equal(getEventListeners(stop.signal, "abort").length, 1, "they share one listener");

    stop.abort(new Error("enough"));

    assert.deepEqual(
      await Promise.all(workers),
      Array.from({ length: 50 }, () => []),
    );
    await assert.rejects(waiting, /enough/);
    await assert.rejects(queue.wait(stop.signal), /enough/);
    assert.equal(getEventListeners(stop.signal, "abort").length, 0);
    queue.add("a");
    assert.equal(queue.next()?.key, "a", "no stopped worker took it");
  });

  it("leave no listener behind after each key", async () => {
    const { queue, clock } = setup();
    const stop = new AbortController();
    const worker = work(queue, { clock, ms: 1, signal: stop.signal });
    for (let i = 0; i < 20; i += 1) {
      queue.add(`key ${i}`);
      await clock.advance(5);
    }

    assert.equal(getEventListeners(stop.signal, "abort").length, 1);
    stop.abort();
    assert.equal((await worker).length, 20);
  });

  it("never process one key at the same time, and miss no add", async () => {
    const scenario = fc.record({
      seed: fc.nat(),
      workers: fc.integer({ min: 1, max: 5 }),
      adds: fc.integer({ min: 1, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ seed, workers, adds }) => {
        const { queue, clock } = setup();
        const random = new SeededRandom(seed);
        const held = new Set<string>();
        const startedAt = new Map<string, number>();
        const addedAt = new Map<string, number>();
        const processItem = async ({ key }: QueueItem): Promise<void> => {
          assert.ok(!held.has(key), `${key} is held twice`);
          held.add(key);
          startedAt.set(key, clock.monotonic());
          await clock.sleep(random.int(30));
          held.delete(key);
        };
        const worker = async (): Promise<void> => {
          for await (const item of queue.take()) {
            await processItem(item);
            if (random.int(3) === 0) queue.fail(item);
            else queue.done(item);
          }
        };
        const all = Promise.all(Array.from({ length: workers }, worker));
        for (let i = 0; i < adds; i += 1) {
          const key = `key ${random.int(6)}`;
          const delayMs = random.int(20);
          addedAt.set(key, clock.monotonic());
          queue.addAfter(key, delayMs, { priority: random.int(3) * 10 });
          await clock.advance(random.int(15));
        }

        await clock.runUntilIdle();

        for (const [key, at] of addedAt) assert.ok((startedAt.get(key) ?? -1) >= at, `${key} was missed`);
        assert.deepEqual([queue.waiting, queue.delayed, queue.running], [0, 0, 0]);
        queue.close();
        await all;
      }),
      { numRuns: 60 },
    );
  });
});

describe("closing a WorkQueue", () => {
  it("drops waiting keys, lets processing finish and ends the workers", async () => {
    const { queue, clock } = setup();
    const worker = work(queue, { clock, ms: 100 });
    const idle = work(queue, { clock, ms: 100 });
    queue.add("a");
    await clock.advance(0);
    queue.add("a");
    const sleepy = work(queue, { clock, ms: 100 });
    queue.addAfter("b", 10);

    queue.close();
    queue.add("c");
    queue.addAfter("d", 10);

    assert.deepEqual([queue.isClosed, queue.running, queue.waiting, queue.delayed], [true, 1, 0, 0]);
    assert.deepEqual([await idle, await sleepy], [[], []]);
    const isDone = queue.idle();
    await clock.advance(100);
    await isDone;
    assert.deepEqual(await worker, ["a"]);
    assert.equal(clock.pending, 0);
    assert.equal(await queue.wait(), undefined);
  });

  it("with drain hands out ready and held keys, but not delayed ones", async () => {
    const { queue, clock } = setup();
    const worker = work(queue, { clock, ms: 100 });
    queue.add("a");
    await clock.advance(0);
    queue.add("a");
    queue.add("b");
    queue.addAfter("c", 10);
    const second = work(queue, { clock, ms: 10 });

    queue.close({ waiting: "drain" });

    await clock.advance(1000);
    assert.deepEqual([await worker, await second], [["a"], ["b", "a"]]);
    await queue.idle();
    assert.equal(clock.pending, 0);
  });

  it("with drain ends a worker that waits for a held key that is then cancelled", async () => {
    const { queue } = setup();
    queue.add("a");
    const item = queue.next();
    queue.add("a");
    queue.close({ waiting: "drain" });
    const waiting = queue.wait();

    queue.cancel("a");

    assert.equal(await waiting, undefined);
    assert.equal(queue.running, 1);
    assert.ok(item !== undefined);
    assert.equal(queue.fail(item), undefined, "no further retry");
    await queue.idle();
  });

  it("can be repeated with drop after drain", async () => {
    const { queue } = setup();
    queue.add("a");
    queue.close({ waiting: "drain" });
    assert.equal(queue.waiting, 1);

    queue.close({ waiting: "drop" });

    assert.equal(queue.waiting, 0);
    assert.equal(await queue.wait(), undefined);
  });

  it("leaves time for running work, up to the given limit", async () => {
    const { queue, clock } = setup();
    queue.add("a");
    queue.next();
    queue.close();
    using grace = clock.timeout(5_000);
    const idle = queue.idle(grace.signal);
    const outcome = assert.rejects(idle, { code: "DEADLINE" });

    await clock.advance(5_000);

    await outcome;
    await assert.rejects(queue.idle(grace.signal), { code: "DEADLINE" });
  });
});
