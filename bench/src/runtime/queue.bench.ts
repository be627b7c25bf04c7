import { systemClock } from "@homeostat/core";
import { Registry, WorkQueue, WorkQueueMetrics } from "@homeostat/runtime";
import { initialListPriority } from "@homeostat/runtime/internal";
import type { BenchCases } from "../harness/case.ts";
import { PlainQueue } from "./plain-queue.ts";

const keys = Array.from({ length: 100_000 }, (_, i) => `default/object-${i}`);
const clock = systemClock;
const metrics = new WorkQueueMetrics(new Registry());

/** Gets all keys and marks them done. Returns their number. */
function drain(queue: WorkQueue): number {
  let count = 0;
  for (let item = queue.next(); item !== undefined; item = queue.next()) {
    queue.done(item);
    count += 1;
  }
  return count;
}

function addAndDrain(queue: WorkQueue): number {
  for (const key of keys) queue.add(key, { reason: "changed" });
  return drain(queue);
}

export const cases: BenchCases = [
  {
    name: "add, take and put down 100,000 different keys",
    operationsPerCall: 300_000,
    subjects: {
      WorkQueue: () => addAndDrain(new WorkQueue({ name: "bench", clock })),
      "WorkQueue with metrics": () => {
        using queue = new WorkQueue({ name: "bench", clock, metrics });
        return addAndDrain(queue);
      },
      "a list and two sets": () => {
        const queue = new PlainQueue();
        for (const key of keys) queue.add(key);
        let count = 0;
        for (let key = queue.next(); key !== undefined; key = queue.next()) {
          queue.done(key);
          count += 1;
        }
        return count;
      },
    },
  },
  {
    name: "the same key added 100,000 times",
    operationsPerCall: 100_000,
    subjects: {
      WorkQueue: () => {
        const queue = new WorkQueue({ name: "bench", clock });
        for (let i = 0; i < 100_000; i += 1) queue.add("default/web", { reason: "changed" });
        return queue.next();
      },
      "a list and two sets": () => {
        const queue = new PlainQueue();
        for (let i = 0; i < 100_000; i += 1) queue.add("default/web");
        return queue.next();
      },
    },
  },
  {
    name: "add, take and put down 100,000 keys of two priorities",
    operationsPerCall: 300_000,
    subjects: {
      WorkQueue: () => {
        const queue = new WorkQueue({ name: "bench", clock });
        for (const [i, key] of keys.entries()) queue.add(key, { priority: i % 4 === 0 ? 0 : initialListPriority });
        return drain(queue);
      },
    },
  },
  {
    name: "delay 100,000 keys and cut every delay short",
    operationsPerCall: 200_000,
    subjects: {
      WorkQueue: () => {
        using queue = new WorkQueue({ name: "bench", clock });
        for (const [i, key] of keys.entries()) queue.addAfter(key, 60_000 + ((i * 7919) % 1000));
        for (const key of keys) queue.add(key);
        return queue.waiting;
      },
    },
  },
];
