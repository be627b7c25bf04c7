import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type Timer } from "@homeostat/core";
import { initialListPriority, type QueueItem } from "./queue-item.ts";
import { exponentialBackoff } from "./retry-limiter.ts";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

function setup(options: Partial<WorkQueueOptions> = {}): { queue: WorkQueue; clock: FakeClock } {
  const clock = new FakeClock({ now: 0 });
  return { queue: new WorkQueue({ name: "test", clock, ...options }), clock };
}

function takeOne(queue: WorkQueue): QueueItem {
  const item = queue.next();
  assert.ok(item !== undefined, "nothing was ready");
  return item;
}

/** Takes all ready keys, ending each at once, and returns them in the order in which they were handed out. */
function drain(queue: WorkQueue): string[] {
  const keys: string[] = [];
  for (let item = queue.next(); item !== undefined; item = queue.next()) {
    keys.push(item.key);
    queue.done(item);
  }
  return keys;
}

describe("WorkQueue", () => {
  it("hands out a key once, however often it was added", () => {
    const { queue } = setup();
    for (const key of ["a", "b", "a", "a"]) queue.add(key);

    assert.equal(queue.waiting, 2);
    assert.deepEqual(drain(queue), ["a", "b"]);
    assert.equal(queue.waiting, 0);
  });

  it("hands a key out again when it was added while being processed", () => {
    const { queue } = setup();
    queue.add("default/web");
    const first = takeOne(queue);

    queue.add("default/web");

    assert.equal(queue.next(), undefined, "held back while the first worker has it");
    assert.equal(queue.waiting, 1);
    queue.done(first);
    assert.equal(takeOne(queue).key, "default/web");
  });

  it("collects the reasons of all merged adds", () => {
    const { queue } = setup();
    queue.add("a", { reason: "created" });
    queue.add("a", { reason: "owned Job changed" });
    queue.add("a", { reason: "created" });
    queue.add("a");

    const { reasons, reasonsOmitted, adds } = takeOne(queue);

    assert.deepEqual(
      { reasons, reasonsOmitted, adds },
      { reasons: ["created", "owned Job changed"], reasonsOmitted: 0, adds: 4 },
    );
  });

  it("keeps eight reasons, counts further ones, and cuts long ones", () => {
    const { queue } = setup();
    for (let i = 0; i < 10; i += 1) queue.add("a", { reason: `${i}${"x".repeat(1000)}` });
    queue.add("a", { reason: `9${"x".repeat(1000)}` });

    const { reasons, reasonsOmitted } = takeOne(queue);

    assert.equal(reasons.length, 8);
    assert.ok(reasons.every((reason) => reason.length === 256));
    assert.equal(reasonsOmitted, 3);
  });

  it("starts the next item without reasons", () => {
    const { queue } = setup();
    queue.add("a", { reason: "created" });
    const first = takeOne(queue);
    queue.add("a", { reason: "changed" });
    queue.done(first);

    assert.deepEqual(takeOne(queue).reasons, ["changed"]);
    assert.deepEqual(first.reasons, ["created"]);
  });

  it("cancels waiting and delayed keys, but not current processing", () => {
    const { queue, clock } = setup();
    queue.add("ready");
    queue.addAfter("delayed", 100);
    queue.add("running");
    queue.cancel("ready");
    const item = takeOne(queue);
    queue.add("running");

    assert.equal(queue.cancel("delayed"), true);
    assert.equal(queue.cancel("running"), true);
    assert.equal(queue.cancel("running"), false);
    assert.equal(queue.cancel("never added"), false);

    assert.equal(clock.pending, 0);
    assert.equal(queue.running, 1);
    queue.done(item);
    assert.deepEqual(drain(queue), []);
  });

  it("accepts each item once, and only its own", () => {
    const { queue } = setup();
    const other = setup().queue;
    queue.add("a");
    other.add("a");
    const item = takeOne(queue);
    const foreign = takeOne(other);

    assert.throws(() => queue.done(foreign), { code: "ARGUMENT", argument: "item" });
    queue.done(item);
    assert.throws(() => queue.done(item), { code: "ARGUMENT" });
    assert.throws(() => queue.fail(item), { code: "ARGUMENT" });
    queue.add("a");
    const again = takeOne(queue);
    assert.throws(() => queue.done(item), /is not being processed/, "an old item cannot end a new reconcile");

    assert.equal(queue.running, 1);
    queue.done(again);
  });

  it("rejects invalid delays and priorities without changing its state", () => {
    const { queue } = setup();
    for (const delayMs of [Number.NaN, Infinity]) {
      assert.throws(() => queue.addAfter("a", delayMs), { code: "ARGUMENT", argument: "delayMs" });
    }
    for (const priority of [0.5, Number.NaN, 1001, -1001, Infinity]) {
      assert.throws(() => queue.add("a", { priority }), { code: "ARGUMENT", argument: "priority" });
      assert.throws(() => queue.addAfter("a", 5, { priority }), { code: "ARGUMENT" });
    }
    assert.throws(() => setup({ overtakesMax: -1 }), { code: "ARGUMENT" });

    assert.deepEqual(drain(queue), []);
    assert.equal(queue.delayed, 0);
  });
});

describe("delays of a WorkQueue", () => {
  it("hold a key until the earliest of its due times", async () => {
    const { queue, clock } = setup();
    queue.addAfter("a", 100);
    queue.addAfter("a", 50);
    queue.addAfter("a", 200);

    await clock.advance(49);
    assert.equal(queue.next(), undefined);
    assert.equal(queue.delayed, 1);
    await clock.advance(1);

    assert.deepEqual(drain(queue), ["a"]);
    await clock.advance(1000);
    assert.deepEqual(drain(queue), [], "the adds were merged");
  });

  it("end with an add without a delay", () => {
    const { queue, clock } = setup();
    queue.addAfter("a", 100, { reason: "requeue" });
    queue.add("a", { reason: "changed" });

    assert.deepEqual(takeOne(queue).reasons, ["requeue", "changed"]);
    assert.equal(clock.pending, 0);
  });

  it("start during processing and go on after it", async () => {
    const { queue, clock } = setup();
    queue.add("a");
    const item = takeOne(queue);
    queue.addAfter("a", 100);
    await clock.advance(60);
    queue.done(item);

    assert.equal(queue.next(), undefined);
    await clock.advance(40);

    assert.equal(takeOne(queue).key, "a");
  });

  it("that end during processing hold the key back until it is done", async () => {
    const { queue, clock } = setup();
    queue.add("a");
    const item = takeOne(queue);
    queue.addAfter("a", 100);
    await clock.advance(150);

    assert.deepEqual([queue.waiting, queue.delayed, queue.next()], [1, 0, undefined]);
    queue.done(item);

    assert.equal(takeOne(queue).waitedMs, 50);
  });

  it("of zero or less make the key ready at once", () => {
    const { queue } = setup();
    queue.addAfter("a", 0);
    queue.addAfter("b", -5);

    assert.deepEqual(drain(queue), ["a", "b"]);
  });

  it("share one timer, and a queue without delays has none", async () => {
    const { queue, clock } = setup();
    assert.equal(clock.pending, 0);
    for (let i = 0; i < 1000; i += 1) queue.addAfter(`key ${i}`, ((i * 7919) % 1000) + 1);

    assert.equal(clock.pending, 1);
    await clock.advance(500);
    assert.equal(queue.waiting, 500);
    assert.equal(clock.pending, 1);
    await clock.advance(500);

    const keys = drain(queue);
    assert.equal(clock.pending, 0);
    const delays = keys.map((key) => ((Number(key.slice(4)) * 7919) % 1000) + 1);
    assert.deepEqual(
      delays,
      delays.toSorted((a, b) => a - b),
    );
  });

  it("end according to the clock, even if the timer is late", async () => {
    class LateClock extends FakeClock {
      override schedule(): Timer {
        return { [Symbol.dispose]: () => {} };
      }
    }
    const clock = new LateClock();
    const queue = new WorkQueue({ name: "test", clock });
    queue.addAfter("a", 10);

    await clock.advance(10);

    assert.deepEqual(drain(queue), ["a"]);
  });
});

describe("priorities of a WorkQueue", () => {
  it("order keys from high to low, and by time within one priority", () => {
    const { queue } = setup({ overtakesMax: 100 });
    for (const [key, priority] of [
      ["list 1", initialListPriority],
      ["list 2", initialListPriority],
      ["change 1", 0],
      ["urgent", 10],
      ["change 2", 0],
    ] as const) {
      queue.add(key, { priority });
    }

    assert.deepEqual(
      [...queue.depths()].toSorted(([a], [b]) => a - b),
      [
        [-100, 2],
        [0, 2],
        [10, 1],
      ],
    );
    assert.deepEqual(drain(queue), ["urgent", "change 1", "change 2", "list 1", "list 2"]);
  });

  it("rise with a later add and never fall", () => {
    const { queue } = setup({ overtakesMax: 100 });
    queue.add("a", { priority: -100 });
    queue.add("b", { priority: 0 });
    queue.add("a", { priority: 5 });
    queue.add("a", { priority: -100 });

    const item = takeOne(queue);

    assert.deepEqual([item.key, item.priority], ["a", 5]);
    assert.equal(queue.depths().get(5), 0);
  });

  it("let a new change overtake a long first list, which still gets every fourth turn", () => {
    const { queue } = setup();
    for (let i = 0; i < 100; i += 1) queue.add(`list ${i}`, { priority: initialListPriority });
    for (let i = 0; i < 6; i += 1) queue.add(`change ${i}`);

    const keys = drain(queue);

    const start = [
      "change 0",
      "change 1",
      "change 2",
      "list 0",
      "change 3",
      "change 4",
      "change 5",
      "list 1",
      "list 2",
    ];
    assert.deepEqual(keys.slice(0, 9), start);
    assert.equal(keys.length, 106);
  });

  it("starve no key, even if keys of higher priority arrive faster than they are processed", () => {
    const { queue } = setup();
    for (let i = 0; i < 50; i += 1) queue.add(`list ${i}`, { priority: initialListPriority });

    const turns = new Map<string, number>();
    for (let turn = 1; turn <= 200; turn += 1) {
      for (let i = 0; i < 3; i += 1) queue.add(`change ${turn}.${i}`);
      const item = takeOne(queue);
      turns.set(item.key, turn);
      queue.done(item);
    }

    for (let i = 0; i < 50; i += 1) assert.equal(turns.get(`list ${i}`), (i + 1) * 4, `list ${i}`);
  });
});

describe("retries of a WorkQueue", () => {
  it("have increasing delays and report the attempt and the time", async () => {
    const { queue, clock } = setup();
    queue.add("a", { priority: 7 });

    const seen: (number | undefined)[][] = [];
    for (let i = 0; i < 4; i += 1) {
      const item = takeOne(queue);
      const retry = queue.fail(item);
      assert.deepEqual(queue.retryOf("a"), retry);
      seen.push([item.attempt, item.priority, retry?.delayMs, (retry?.nextRetryAt ?? 0) - clock.now()]);
      await clock.advance(retry?.delayMs ?? 0);
    }

    assert.deepEqual(seen, [
      [1, 7, 5, 5],
      [2, 7, 10, 10],
      [3, 7, 20, 20],
      [4, 7, 40, 40],
    ]);
    assert.deepEqual(takeOne(queue).reasons, ["retry"]);
  });

  it("are reset after a success", async () => {
    const { queue, clock } = setup();
    queue.add("a");
    queue.fail(takeOne(queue));
    await clock.advance(5);

    queue.done(takeOne(queue));

    assert.equal(queue.retryOf("a"), undefined);
    queue.add("a");
    assert.equal(queue.fail(takeOne(queue))?.delayMs, 5);
  });

  it("are reset by forget", async () => {
    const { queue, clock } = setup();
    queue.add("a");
    for (let i = 0; i < 10; i += 1) {
      queue.fail(takeOne(queue));
      await clock.runNext();
    }

    queue.forget("a");
    const item = takeOne(queue);

    assert.equal(queue.retryOf("a"), undefined);
    assert.equal(item.attempt, 1);
    assert.equal(queue.fail(item)?.delayMs, 5);
  });

  it("are not postponed by events during the delay", async () => {
    const { queue, clock } = setup();
    queue.add("a");
    let retry = queue.fail(takeOne(queue));
    for (let i = 0; i < 9; i += 1) {
      await clock.advance(retry?.delayMs ?? 0);
      retry = queue.fail(takeOne(queue));
    }
    assert.equal(retry?.delayMs, 2560);

    for (let i = 0; i < 100; i += 1) {
      await clock.advance(1);
      queue.add("a", { reason: "something changed" });
      retry = queue.fail(takeOne(queue));
    }

    assert.deepEqual([retry?.delayMs, retry?.failures, retry?.countedFailures], [2560, 110, 10]);
    assert.equal((retry?.nextRetryAt ?? 0) - clock.now(), 2460, "it is due when it would have been without them");
    await clock.advance(2460);
    assert.equal(queue.fail(takeOne(queue))?.delayMs, 5120, "and this one counts");
  });

  it("serve the same delay again if an early attempt outlasted it", async () => {
    const { queue, clock } = setup({ retry: exponentialBackoff({ baseMs: 100 }) });
    queue.add("a");
    queue.fail(takeOne(queue));
    await clock.advance(50);
    queue.add("a");
    const early = takeOne(queue);
    await clock.advance(70);

    const retry = queue.fail(early);

    assert.deepEqual([retry?.delayMs, (retry?.nextRetryAt ?? 0) - clock.now()], [100, 100]);
  });

  it("happen at once if the key was added during the failed attempt", () => {
    const { queue } = setup();
    queue.add("a");
    const item = takeOne(queue);
    queue.add("a", { reason: "changed" });

    queue.fail(item, { reason: "timeout" });

    const again = takeOne(queue);
    assert.deepEqual([again.reasons, again.attempt], [["changed", "timeout"], 2]);
  });

  it("use the caller's delay instead of the limiter's, any number of times", async () => {
    const { queue, clock } = setup({ retry: exponentialBackoff() });
    queue.add("a");

    const delays: (number | undefined)[] = [];
    for (const delayMs of [1000, 1000, undefined]) {
      const item = takeOne(queue);
      const retry = queue.fail(item, { delayMs });
      delays.push(retry?.delayMs);
      assert.equal(retry?.failures, item.attempt);
      await clock.advance(retry?.delayMs ?? 0);
    }

    assert.deepEqual(delays, [1000, 1000, 5], "the caller's delays do not lengthen those of the limiter");
    queue.fail(takeOne(queue), { delayMs: 60_000 });
    queue.add("a");
    assert.equal(
      queue.fail(takeOne(queue), { delayMs: 2000 })?.delayMs,
      2000,
      "the delay of an early failure starts now",
    );
    queue.add("a");
    const held = takeOne(queue);
    assert.throws(() => queue.fail(held, { delayMs: -1 }), { code: "ARGUMENT" });
    assert.throws(() => queue.fail(held, { delayMs: Infinity }), { code: "ARGUMENT" });
  });

  it("leave the item in processing if the limiter returns an invalid delay", () => {
    let delayMs = Number.NaN;
    const { queue } = setup({ retry: () => delayMs });
    queue.add("a");
    const item = takeOne(queue);

    for (delayMs of [Number.NaN, -1, Infinity]) {
      assert.throws(() => queue.fail(item), { code: "ARGUMENT", argument: "retry" });
      assert.throws(() => queue.fail(item, { priority: 0.5 }), { code: "ARGUMENT", argument: "priority" });
    }

    assert.equal(queue.running, 1);
    assert.equal(queue.retryOf("a"), undefined);
    delayMs = 0;
    queue.fail(item);
    assert.equal(takeOne(queue).attempt, 2);
  });
});

describe("inspect of a WorkQueue", () => {
  it("lists waiting, delayed and processed keys with wall-clock times", async () => {
    const { queue, clock } = setup();
    await clock.advance(1000);
    queue.add("running", { reason: "created" });
    takeOne(queue);
    await clock.advance(10);
    queue.add("low", { priority: -100 });
    queue.add("high");
    queue.add("running", { reason: "changed" });
    queue.addAfter("later", 500);
    queue.addAfter("soon", 100);

    const snapshot = queue.inspect();

    const common = { priority: 0, attempt: 1, reasons: [] };
    assert.deepEqual(snapshot, {
      name: "test",
      isClosed: false,
      counts: { waiting: 3, delayed: 2, running: 1 },
      waiting: [
        { ...common, key: "high", readyAt: 1010, isHeld: false },
        { ...common, key: "low", priority: -100, readyAt: 1010, isHeld: false },
        { ...common, key: "running", reasons: ["changed"], readyAt: 1010, isHeld: true },
      ],
      delayed: [
        { ...common, key: "soon", dueAt: 1110 },
        { ...common, key: "later", dueAt: 1510 },
      ],
      running: [{ ...common, key: "running", reasons: ["created"], startedAt: 1000 }],
    });
    assert.doesNotThrow(() => JSON.stringify(snapshot));
  });

  it("lists at most the given number of keys, and counts all", () => {
    const { queue } = setup();
    for (let i = 0; i < 20; i += 1) {
      queue.add(`a${i}`);
      queue.addAfter(`b${i}`, 100 - i);
    }

    const { counts, waiting, delayed } = queue.inspect({ limit: 2 });

    assert.deepEqual(counts, { waiting: 20, delayed: 20, running: 0 });
    assert.deepEqual(
      [...waiting, ...delayed].map(({ key }) => key),
      ["a0", "a1", "b19", "b18"],
    );
  });
});
