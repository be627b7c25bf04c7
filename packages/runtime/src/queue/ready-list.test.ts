import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { Entry } from "./entry.ts";
import { Level } from "./level.ts";
import { ReadyList } from "./ready-list.ts";

describe("ReadyList", () => {
  it("never lets an entry wait longer than promised, whatever is added", () => {
    const turn = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 60 }), fc.integer({ min: 0, max: 4 }), (turns, overtakesMax) => {
        const list = new ReadyList(overtakesMax);
        const levels = [-3, -2, -1, 0, 1, 2, 3].map((priority) => new Level(priority));
        /** For each waiting entry, the last turn by which it must have been handed out. */
        const deadlines = new Map<Entry, number>();
        let turnsTaken = 0;
        const takeOne = (): void => {
          const entry = list.take();
          turnsTaken += 1;
          if (entry === undefined) return;
          assert.ok(turnsTaken <= (deadlines.get(entry) ?? 0), "it came too late");
          deadlines.delete(entry);
        };

        for (const [i, priorities] of turns.entries()) {
          for (const [j, priority] of priorities.entries()) {
            const entry = new Entry(`${i}.${j}`, levels[priority + 3] ?? new Level(priority));
            deadlines.set(entry, turnsTaken + (list.size + 1) * (overtakesMax + 1));
            list.add(entry);
          }
          takeOne();
        }
        while (list.size > 0) takeOne();

        assert.equal(deadlines.size, 0);
      }),
      { numRuns: 500 },
    );
  });

  it("loses no entry through removals and moves", () => {
    const change = fc.tuple(
      fc.constantFrom("add", "remove", "move", "take"),
      fc.nat(20),
      fc.integer({ min: -2, max: 2 }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const list = new ReadyList(2);
        const levels = [-2, -1, 0, 1, 2].map((priority) => new Level(priority));
        const entries: Entry[] = [];
        for (const [kind, n, priority] of changes) {
          const level = levels[priority + 2] ?? new Level(priority);
          const entry = entries[n % Math.max(1, entries.length)];
          if (kind === "add") {
            const created = new Entry(String(entries.length), level);
            list.add(created);
            entries.push(created);
          } else if (kind === "take") {
            const taken = list.take();
            assert.equal(taken === undefined, entries.length === 0);
            if (taken !== undefined) entries.splice(entries.indexOf(taken), 1);
          } else if (entry !== undefined && kind === "remove") {
            list.remove(entry);
            entries.splice(entries.indexOf(entry), 1);
          } else if (entry !== undefined) list.move(entry, level);

          assert.equal(list.size, entries.length);
          assert.deepEqual(new Set(list), new Set(entries));
        }
      }),
      { numRuns: 300 },
    );
  });
});
