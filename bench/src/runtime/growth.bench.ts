// Checks that costs do not depend on the number of objects: handling one key of a queue, reading one object, one change.

import { systemClock } from "@homeostat/core";
import { WorkQueue } from "@homeostat/runtime";
import type { BenchCases } from "../harness/case.ts";
import { newWidget, syncedCache } from "./cache-sample.ts";

const turns = 1000;

function queueWith(count: number): WorkQueue {
  const queue = new WorkQueue({ name: "growth", clock: systemClock });
  for (let i = 0; i < count; i += 1) queue.add(`default/object-${i}`, { reason: "changed" });
  return queue;
}

/** Gets a key, marks it done and adds it again, so that the number of waiting keys stays the same. */
function turn(queue: WorkQueue): number {
  for (let i = 0; i < turns; i += 1) {
    const item = queue.next();
    if (item === undefined) return i;
    queue.done(item);
    queue.add(item.key, { reason: "changed" });
  }
  return turns;
}

/** Generates a list while it is read. */
function* pieces(count: number): Generator<Buffer> {
  yield Buffer.from('{"items":[');
  for (let n = 0; n < count; n += 1) yield Buffer.from(`${n === 0 ? "" : ","}${JSON.stringify(newWidget(n))}`);
  yield Buffer.from('],"metadata":{"resourceVersion":"900000"}}');
}

/** Returns a function that reads different objects, each of which has to be parsed. */
async function reader(count: number): Promise<() => number> {
  const { widgets } = await syncedCache(pieces(count), { memo: { countMax: 0 } });
  const keys = [...widgets.keys()];
  let at = 0;
  return () => {
    let replicas = 0;
    for (let i = 0; i < 100; i += 1) {
      at = (at + 7919) % keys.length;
      replicas += widgets.get(keys[at] ?? "")?.spec.replicas ?? 0;
    }
    return replicas;
  };
}

const many = queueWith(100_000);
const few = queueWith(100);
const readMany = await reader(20_000);
const readFew = await reader(100);

export const cases: BenchCases = [
  {
    name: "take a key, put it down and add it again",
    operationsPerCall: turns,
    subjects: { "100,000 keys wait": () => turn(many), "100 keys wait": () => turn(few) },
  },
  {
    name: "read an object that is not parsed",
    operationsPerCall: 100,
    subjects: { "20,000 are cached": () => readMany(), "100 are cached": () => readFew() },
  },
];
