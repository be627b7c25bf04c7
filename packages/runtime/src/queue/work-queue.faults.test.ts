import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { type Fault, plant } from "../testing/queue-mutant.ts";
import { tryHistories } from "../testing/queue-history.ts";

const faults: readonly Fault[] = [
  {
    symptom: "a key added while it is being processed is lost",
    file: "work-queue",
    code: 'if (entry.pending === "held") { this.#heldCount -= 1; this.#moveToReady(entry); }',
    instead: 'if (entry.pending === "held") { this.#heldCount -= 1; this.#entries.delete(entry.key); }',
  },
  {
    symptom: "a key added while it is being processed goes to a second worker",
    file: "work-queue",
    code: "if (entry.item === undefined) this.#moveToReady(entry);",
    instead: "if (true) this.#moveToReady(entry);",
  },
  {
    symptom: "a key waits twice",
    file: "work-queue",
    code: 'if (entry.pending === "ready" || entry.pending === "held") return;',
    instead: 'if (entry.pending === "held") return;',
  },
  {
    symptom: "delays are ignored",
    file: "work-queue",
    code: "this.#now + Math.max(0, delayMs)",
    instead: "this.#now",
  },
  {
    symptom: "a key is lost when its delay ends",
    file: "work-queue",
    code: "this.#makeReady(first);",
    instead: 'first.pending = "none";',
  },
  {
    symptom: "the latest of several delays holds",
    file: "work-queue",
    code: "if (dueAt >= entry.dueAt) return;",
    instead: "if (dueAt <= entry.dueAt) return;",
  },
  {
    symptom: "an add does not end a delay",
    file: "work-queue",
    code: 'if (entry.pending === "delayed") { if (dueAt >= entry.dueAt) return;',
    instead: 'if (entry.pending === "delayed") { return;',
  },
  {
    symptom: "low priorities starve",
    file: "ready-list",
    code: "this.#overtakes >= this.#overtakesMax ? this.#oldest : highest",
    instead: "highest",
  },
  {
    symptom: "the oldest key is passed over once more than allowed",
    file: "ready-list",
    code: "this.#overtakes >= this.#overtakesMax",
    instead: "this.#overtakes > this.#overtakesMax",
  },
  {
    symptom: "priorities have no effect",
    file: "ready-list",
    code: "this.#overtakes >= this.#overtakesMax ? this.#oldest : highest",
    instead: "this.#oldest",
  },
  {
    symptom: "an add with a higher priority does not raise the priority of a waiting key",
    file: "work-queue",
    code: "else if (level.priority > entry.level.priority)",
    instead: "else if (false)",
  },
  {
    symptom: "an add with a lower priority lowers the priority of a waiting key",
    file: "work-queue",
    code: "else if (level.priority > entry.level.priority)",
    instead: "else",
  },
  {
    symptom: "a key of raised priority is counted under its old priority",
    file: "work-queue",
    code: "entry.level.depth -= 1; level.depth += 1;",
    instead: "",
  },
  {
    symptom: "events make the delay grow",
    file: "failure",
    code: "if (before !== undefined && before.isCallerDelay !== true && startedAt < before.retryAt) {",
    instead: "if (false) {",
  },
  {
    symptom: "a key whose processing outlasts its delay is retried at once, forever",
    file: "failure",
    code: "before.retryAt > now ? before.retryAt : now + before.delayMs",
    instead: "before.retryAt",
  },
  {
    symptom: "events postpone the retry",
    file: "failure",
    code: "before.retryAt > now ? before.retryAt : now + before.delayMs",
    instead: "now + before.delayMs",
  },
  {
    symptom: "the delay does not grow",
    file: "failure",
    code: "(before?.countedFailures ?? 0) + 1",
    instead: "1",
  },
  {
    symptom: "a success does not reset the failures",
    file: "work-queue",
    code: "entry.failure = undefined; this.#release(entry);",
    instead: "this.#release(entry);",
  },
  {
    symptom: "forget does not reset the failures",
    file: "work-queue",
    code: "if (entry !== undefined) entry.failure = undefined;",
    instead: "",
  },
  {
    symptom: "only the reason of the first add is kept",
    file: "entry",
    code: "if (reason === undefined) return;",
    instead: "if (reason === undefined || this.adds > 1) return;",
  },
  {
    symptom: "reasons grow without a limit",
    file: "reasons",
    code: "reasons.length < reasonsMax",
    instead: "true",
  },
  {
    symptom: "reasons of one item are shown for the next one",
    file: "entry",
    code: "this.reasons = noReasons;",
    instead: "",
  },
  {
    symptom: "an idle queue holds a timer",
    file: "alarm",
    code: "this.#timer?.[Symbol.dispose]();",
    instead: "",
  },
  {
    symptom: "the timer is not set again after it fired early",
    file: "work-queue",
    code: "this.#promote(); this.#alarm.set(this.#delays.first?.dueAt); });",
    instead: "this.#promote(); });",
  },
  {
    symptom: "an earlier delay waits for the timer of a later one",
    file: "alarm",
    code: "at >= this.#at",
    instead: "this.#timer !== undefined",
  },
  {
    symptom: "delays are out of order after one was removed from the middle",
    file: "delay-heap",
    code: "this.#up(last); this.#down(last);",
    instead: "",
  },
  {
    symptom: "a cancelled delay still takes effect",
    file: "work-queue",
    code: 'if (entry.pending === "delayed") this.#delays.remove(entry); else',
    instead: 'if (entry.pending !== "delayed")',
  },
  {
    symptom: "a closed queue accepts keys",
    file: "work-queue",
    code: "if (this.#isClosed) return; if (delayMs > 0)",
    instead: "if (delayMs > 0)",
  },
  {
    symptom: "a key that ends corrupts the list of keys being processed",
    file: "work-queue",
    code: "last.slot = entry.slot;",
    instead: "",
  },
  {
    symptom: "draining drops ready keys",
    file: "work-queue",
    code: '(waiting === "drop" && entry.pending !== "none")',
    instead: 'entry.pending !== "none"',
  },
  {
    symptom: "draining waits for delays",
    file: "work-queue",
    code: 'if (entry.pending === "delayed" || (waiting === "drop"',
    instead: 'if ((waiting === "drop"',
  },
];

describe("the model test of WorkQueue", () => {
  it("finds nothing in a copy without a fault", async () => {
    const code = "get isClosed()";
    const Copy = await plant({ symptom: "nothing", file: "work-queue", code, instead: code });

    const result = tryHistories(Copy, { numRuns: 300, seed: 7 });

    assert.ok(!result.failed, fc.defaultReportMessage(result));
  });

  for (const fault of faults) {
    it(`notices when ${fault.symptom}`, async () => {
      const Faulty = await plant(fault);

      const result = tryHistories(Faulty, { numRuns: 3000, seed: 7, endOnFailure: true });

      assert.ok(result.failed, "no history showed the fault");
    });
  }
});
