import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { type Fault, plant } from "./mutant.fixture.test.ts";
import { tryHistories } from "./queue-history.fixture.test.ts";

const faults: readonly Fault[] = [
  {
    symptom: "a key added during its own run is forgotten",
    file: "work-queue",
    code: 'if (entry.wait === "held") { this.#held -= 1; this.#offer(entry); }',
    instead: 'if (entry.wait === "held") { this.#held -= 1; this.#entries.delete(entry.key); }',
  },
  {
    symptom: "a key added during its own run goes to a second worker",
    file: "work-queue",
    code: "if (entry.item === undefined) this.#offer(entry);",
    instead: "if (true) this.#offer(entry);",
  },
  {
    symptom: "a key waits twice",
    file: "work-queue",
    code: 'if (entry.wait === "ready" || entry.wait === "held") return;',
    instead: 'if (entry.wait === "held") return;',
  },
  {
    symptom: "delays are not waited for",
    file: "work-queue",
    code: "this.#now + Math.max(0, delayMs)",
    instead: "this.#now",
  },
  {
    symptom: "a key whose delay is over is lost",
    file: "work-queue",
    code: "this.#makeReady(first);",
    instead: 'first.wait = "none";',
  },
  {
    symptom: "the latest of several times holds",
    file: "work-queue",
    code: "if (dueAt >= entry.dueAt) return;",
    instead: "if (dueAt <= entry.dueAt) return;",
  },
  {
    symptom: "an event does not cut a delay short",
    file: "work-queue",
    code: 'if (entry.wait === "delayed") { if (dueAt >= entry.dueAt) return;',
    instead: 'if (entry.wait === "delayed") { return;',
  },
  {
    symptom: "low priorities starve",
    file: "ready-list",
    code: "this.#overtakes >= this.#overtakesMax ? this.#oldest : highest",
    instead: "highest",
  },
  {
    symptom: "the oldest may be passed over once more than allowed",
    file: "ready-list",
    code: "this.#overtakes >= this.#overtakesMax",
    instead: "this.#overtakes > this.#overtakesMax",
  },
  {
    symptom: "priorities do nothing",
    file: "ready-list",
    code: "this.#overtakes >= this.#overtakesMax ? this.#oldest : highest",
    instead: "this.#oldest",
  },
  {
    symptom: "an add with a higher priority does not raise that of a key that waits",
    file: "work-queue",
    code: "else if (level.priority > entry.level.priority)",
    instead: "else if (false)",
  },
  {
    symptom: "an add with a lower priority lowers that of a key that waits",
    file: "work-queue",
    code: "else if (level.priority > entry.level.priority)",
    instead: "else",
  },
  {
    symptom: "a raised key is counted in its old priority",
    file: "work-queue",
    code: "entry.level.depth -= 1; level.depth += 1;",
    instead: "",
  },
  {
    symptom: "events make the delay grow",
    file: "failure",
    code: "if (before !== undefined && before.isGiven !== true && startedAt < before.retryAt) {",
    instead: "if (false) {",
  },
  {
    symptom: "a run that outlasted the delay is retried at once, for ever",
    file: "failure",
    code: "before.retryAt > now ? before.retryAt : now + before.delayMs",
    instead: "before.retryAt",
  },
  {
    symptom: "events put the retry off",
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
    symptom: "a success does not end the failures",
    file: "work-queue",
    code: "entry.failure = undefined; this.#release(entry);",
    instead: "this.#release(entry);",
  },
  {
    symptom: "a changed spec does not end the failures",
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
    symptom: "reasons grow without end",
    file: "reasons",
    code: "reasons.length < reasonsMax",
    instead: "true",
  },
  {
    symptom: "reasons of the last run are shown for the next",
    file: "entry",
    code: "this.reasons = noReasons;",
    instead: "",
  },
  {
    symptom: "a queue at rest holds a timer",
    file: "alarm",
    code: "this.#timer?.[Symbol.dispose]();",
    instead: "",
  },
  {
    symptom: "the timer is not set again after it rang too early",
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
    symptom: "delays are out of order after one was taken out of the middle",
    file: "delay-heap",
    code: "this.#up(last); this.#down(last);",
    instead: "",
  },
  {
    symptom: "a cancelled delay comes back",
    file: "work-queue",
    code: 'if (entry.wait === "delayed") this.#delays.remove(entry); else',
    instead: 'if (entry.wait !== "delayed")',
  },
  {
    symptom: "a closed queue takes keys",
    file: "work-queue",
    code: "if (this.#isClosed) return; if (delayMs > 0)",
    instead: "if (delayMs > 0)",
  },
  {
    symptom: "a key that is put down takes another one's place among those being worked on",
    file: "work-queue",
    code: "last.slot = entry.slot;",
    instead: "",
  },
  {
    symptom: "draining drops what waits",
    file: "work-queue",
    code: '(waiting === "drop" && entry.wait !== "none")',
    instead: 'entry.wait !== "none"',
  },
  {
    symptom: "draining waits for delays",
    file: "work-queue",
    code: 'if (entry.wait === "delayed" || (waiting === "drop"',
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
