import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Change, emptyHistory, History } from "./history.ts";

function change(revision: number): Change<string> {
  return { revision, key: `k${revision}`, before: undefined, after: undefined, atMs: revision };
}

/** Returns the revisions that a history still has, searching far beyond both of its ends. */
function known(history: History<string>, upTo: number): number[] {
  return Array.from({ length: upTo + 10 }, (_, revision) => history.at(revision)?.revision).filter(
    (revision) => revision !== undefined,
  );
}

describe("History", () => {
  it("finds every change that is not compacted, also when it started from the state of another history", () => {
    const step = fc.record({ add: fc.nat(700), compact: fc.nat(2500), copies: fc.boolean() });

    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), fc.integer({ min: 1, max: 3000 }), (steps, start) => {
        let history = new History<string>({ countMax: 1500, ageMsMax: Infinity }, emptyHistory(start));
        let newest = start;
        let oldest = start;
        for (const { add, compact, copies } of steps) {
          for (let n = 0; n < add; n += 1) history.add(change((newest += 1)));
          history.trim(0);
          oldest = Math.max(oldest, newest - 1500);
          history.compact(Math.min(newest, compact));
          oldest = Math.max(oldest, Math.min(newest, compact));
          if (copies) {
            const state = history.state();
            history.add(change(newest + 1));
            history = new History<string>({ countMax: 1500, ageMsMax: Infinity }, state);
          }

          assert.equal(history.compacted, oldest);
          assert.deepEqual(
            known(history, newest),
            Array.from({ length: newest - oldest }, (_, n) => oldest + 1 + n),
          );
        }
      }),
      { numRuns: 60, seed: 5 },
    );
  });
});
