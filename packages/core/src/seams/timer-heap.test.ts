import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { type HeapTimer, TimerHeap } from "./timer-heap.ts";

describe("TimerHeap", () => {
  it("returns timers in order for random additions and removals", () => {
    const command = fc.oneof(
      fc.record({ add: fc.integer({ min: 0, max: 10 }) }),
      fc.record({ remove: fc.nat() }),
      fc.constant("take" as const),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const heap = new TimerHeap<HeapTimer>();
        let model: HeapTimer[] = [];
        for (const [order, step] of commands.entries()) {
          if (step === "take") {
            const { first } = heap;
            assert.equal(first, model.toSorted((a, b) => a.due - b.due || a.order - b.order)[0]);
            if (first !== undefined) heap.remove(first);
            model = model.filter((timer) => timer !== first);
          } else if ("add" in step) {
            const timer = { due: step.add, order, position: -1 };
            heap.add(timer);
            model.push(timer);
          } else {
            const victim = model[step.remove % Math.max(1, model.length)];
            if (victim === undefined) continue;
            assert.equal(heap.remove(victim), true);
            assert.equal(heap.remove(victim), false, "only once");
            model = model.filter((timer) => timer !== victim);
          }
          assert.equal(heap.size, model.length);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
