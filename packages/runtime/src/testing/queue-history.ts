// Random histories of a queue. After each step the queue is compared with the model.

import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { QueueItem } from "../queue/queue-item.ts";
import { QueueModel } from "./queue-model.ts";
import { exponentialBackoff } from "../queue/retry-limiter.ts";
import { StepClock } from "./step-clock.ts";
import type { WorkQueue } from "../queue/work-queue.ts";

/** The queue under test, and the items that its workers hold. */
interface Real {
  readonly queue: WorkQueue;
  readonly clock: StepClock;
  readonly items: QueueItem[];
}

type Step = fc.Command<QueueModel, Real>;

const retry = { baseMs: 4, capMs: 40 };
const overtakesMax = 2;

/** Runs many histories with a queue class. The result tells whether one of them differs from the model, and which. */
export function tryHistories(
  Queue: typeof WorkQueue,
  parameters: fc.Parameters<[Iterable<Step>]>,
): fc.RunDetails<[Iterable<Step>]> {
  return fc.check(
    fc.property(fc.commands(steps, { maxCommands: 60, size: "max" }), (commands) => {
      const clock = new StepClock();
      const queue = new Queue({ name: "q", clock, retry: exponentialBackoff(retry), overtakesMax });
      const real: Real = { queue, clock, items: [] };
      const model = new QueueModel({
        delays: (failures) => Math.min(retry.capMs, retry.baseMs * 2 ** (failures - 1)),
        overtakesMax,
      });
      fc.modelRun(() => ({ model, real }), commands);
      finish(model, real);
    }),
    parameters,
  );
}

/** Creates a step: its effect on the model and on the queue, which must agree afterwards. */
function step(
  name: string,
  run: (model: QueueModel, real: Real) => void,
  check?: (model: Pick<QueueModel, "running">) => boolean,
): Step {
  return {
    check: (model) => check?.(model) ?? true,
    run: (model, real) => {
      run(model, real);
      agree(model, real);
    },
    toString: () => name,
  };
}

const key = fc.constantFrom("a", "b", "c", "__proto__", "constructor");
const priority = fc.constantFrom(-100, 0, 0, 0, 10);
const reason = fc.option(fc.constantFrom("created", "changed", "owned"), { nil: undefined });
const addition = fc.record({ key, priority, reason, delayMs: fc.integer({ min: -1, max: 30 }) });

const add = addition.map(({ key, priority, reason }) =>
  step(`add(${key}, ${priority}, ${reason})`, (model, { queue }) => {
    model.add(key, { dueAt: model.now, priority, reason });
    queue.add(key, { priority, ...(reason === undefined ? {} : { reason }) });
  }),
);

const addBurst = key.map((key) =>
  step(`addBurst(${key})`, (model, { queue }) => {
    for (let i = 0; i < 20; i += 1) {
      const reason = `reason ${i % 12}`;
      model.add(key, { dueAt: model.now, priority: 0, reason });
      queue.add(key, { reason });
    }
  }),
);

const addAfter = addition.map(({ key, priority, reason, delayMs }) =>
  step(`addAfter(${key}, ${delayMs}, ${priority}, ${reason})`, (model, { queue }) => {
    model.add(key, { dueAt: model.now + Math.max(0, delayMs), priority, reason });
    queue.addAfter(key, delayMs, { priority, ...(reason === undefined ? {} : { reason }) });
  }),
);

const next = fc.constant(step("next", takeBoth));

const done = fc.nat(9).map((n) =>
  step(
    `done(${n})`,
    (model, { queue, items }) => {
      const item = pick(items, n);
      model.done(item.key);
      queue.done(item);
    },
    (model) => model.running.length > 0,
  ),
);

const fail = fc.nat(9).map((n) =>
  step(
    `fail(${n})`,
    (model, { queue, items }) => {
      const item = pick(items, n);
      model.fail(item.key);
      const result = queue.fail(item);
      assert.equal(result === undefined, model.isClosed);
    },
    (model) => model.running.length > 0,
  ),
);

const advance = fc.constantFrom(0, 1, 2, 3, 5, 8, 13, 40, 200).map((ms) =>
  step(`advance(${ms})`, (model, { clock }) => {
    model.advance(ms);
    clock.advance(ms);
  }),
);

const forget = key.map((key) =>
  step(`forget(${key})`, (model, { queue }) => {
    model.forget(key);
    queue.forget(key);
  }),
);

const cancel = key.map((key) =>
  step(`cancel(${key})`, (model, { queue }) => {
    assert.equal(queue.cancel(key), model.cancel(key));
  }),
);

const close = fc.tuple(fc.constantFrom("drop" as const, "drain" as const), fc.nat(3)).map(([waiting, chance]) =>
  step(
    `close(${waiting})`,
    (model, { queue }) => {
      model.close(waiting);
      queue.close({ waiting });
    },
    () => chance === 0,
  ),
);

/** Steps with their weights. */
const weights: readonly (readonly [number, fc.Arbitrary<Step>])[] = [
  [3, add],
  [1, addBurst],
  [2, addAfter],
  [4, next],
  [2, done],
  [3, fail],
  [3, advance],
  [1, forget],
  [1, cancel],
  [1, close],
];
const steps = weights.flatMap(([weight, arbitrary]) => Array.from({ length: weight }, () => arbitrary));

function pick(items: QueueItem[], n: number): QueueItem {
  const [item] = items.splice(n % items.length, 1);
  assert.ok(item !== undefined, "the model is processing a key that the queue is not");
  return item;
}

function takeBoth(model: QueueModel, { queue, items }: Real): void {
  const expected = model.take();
  const item = queue.next();
  if (item !== undefined) {
    assert.ok(!items.some((other) => other.key === item.key), `${item.key} is held twice`);
    items.push(item);
  }
  const { waitedMs = 0, ...given } = item ?? {};
  assert.ok(waitedMs >= 0);
  assert.equal(text(item === undefined ? undefined : given), text(expected));
}

/** Compares everything that is visible from outside. */
function agree(model: QueueModel, { queue, clock, items }: Real): void {
  const { waiting, delayed } = model;
  assert.equal(queue.waiting, waiting.length, "waiting");
  assert.equal(queue.delayed, delayed.length, "delayed");
  assert.equal(queue.running, items.length, "running");
  for (const [priority, depth] of queue.depths()) {
    assert.equal(depth, waiting.filter((next) => next.priority === priority).length, `depth of ${priority}`);
  }
  for (const [key, { failures, counted, delayMs, retryAt }] of model.keys) {
    const state = queue.retryOf(key);
    assert.equal(state?.failures ?? 0, failures, "failures");
    if (state === undefined) continue;
    assert.equal(state.countedFailures, counted, "failures that count");
    assert.equal(state.delayMs, delayMs, "delay");
    assert.equal(state.nextRetryAt, clock.now() - clock.monotonic() + retryAt, "next retry");
  }
  assert.equal(clock.pending, delayed.length === 0 ? 0 : 1, "timers");
  if (delayed.length > 0) {
    assert.ok(clock.nextDue <= Math.min(...delayed.map(({ dueAt }) => dueAt)), "the timer is late");
  }
}

/** Processes all remaining keys: the queue must hand out those of the model, and then both are empty. */
function finish(model: QueueModel, real: Real): void {
  const { queue, clock, items } = real;
  for (let round = 0; model.keys.size > 0; round += 1) {
    assert.ok(round < 200, "it does not end");
    while (items.length > 0) {
      const item = pick(items, 0);
      model.done(item.key);
      queue.done(item);
    }
    const before = items.length;
    takeBoth(model, real);
    if (items.length > before) continue;
    const due = Math.min(...model.delayed.map(({ dueAt }) => dueAt));
    if (due === Infinity) break;
    model.advance(due - model.now);
    clock.advance(due - clock.monotonic());
  }
  assert.equal(model.keys.size, 0);
  agree(model, real);
  assert.equal(queue.next(), undefined);
}

function text(value: unknown): string {
  return JSON.stringify(value, value === undefined || value === null ? undefined : Object.keys(value).sort()) ?? "";
}
