import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiErrorFrom, DeadlineError, NetworkError, TerminalError, TransientError } from "@homeostat/core";
import { LeadershipLostError, NotLeaderError } from "../election/errors.ts";
import { BeingDeletedError, NotOwnedError } from "../writes/errors.ts";
import { decide, labelOf, type Outcome, type ReconcileEnd, type ReconcileLimits } from "./outcome.ts";

const threw = (error: unknown): ReconcileEnd => ({ at: "threw", error });

function apiError(status: number, reason: string, message = "no", retryAfter?: string): Error {
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", reason, message, code: status };
  return apiErrorFrom({ status, body, headers: { "retry-after": retryAfter } });
}

const notOwned = (isPredecessor: boolean): Error =>
  new NotOwnedError({ object: "Page a", neededBy: "Site a", owner: undefined, isPredecessor });

interface Row {
  readonly name: string;
  readonly end: ReconcileEnd;
  readonly limits?: ReconcileLimits;
  readonly type: Outcome["type"];
  readonly label: ReturnType<typeof labelOf>;
}

const rows: readonly Row[] = [
  { name: "no object", end: { at: "nothing" }, type: "done", label: "success" },
  {
    name: "no object after the term was aborted",
    end: { at: "nothing" },
    limits: { isAborted: true },
    type: "done",
    label: "success",
  },
  { name: "success", end: { at: "returned" }, type: "done", label: "success" },
  {
    name: "success after the term was aborted",
    end: { at: "returned" },
    limits: { isAborted: true },
    type: "done",
    label: "success",
  },
  {
    name: "a requeue after a delay",
    end: { at: "returned", requeueAfterMs: 5 },
    type: "later",
    label: "requeue_after",
  },
  { name: "a requeue without delay", end: { at: "returned", requeueAfterMs: 0 }, type: "later", label: "requeue" },
  {
    name: "an invalid requeue delay",
    end: { at: "returned", requeueAfterMs: Number.NaN },
    type: "failed",
    label: "error",
  },
  { name: "a negative requeue delay", end: { at: "returned", requeueAfterMs: -1 }, type: "failed", label: "error" },
  {
    name: "an infinite requeue delay",
    end: { at: "returned", requeueAfterMs: Infinity },
    type: "failed",
    label: "error",
  },
  {
    name: "success after the deadline",
    end: { at: "returned" },
    limits: { deadline: new DeadlineError(1) },
    type: "failed",
    label: "error",
  },
  {
    name: "an error after the deadline",
    end: threw(new TerminalError({ reason: "X", message: "x" })),
    limits: { deadline: new DeadlineError(1) },
    type: "failed",
    label: "error",
  },
  {
    name: "an error after the term was aborted",
    end: threw(new Error("x")),
    limits: { isAborted: true },
    type: "broken-off",
    label: "requeue",
  },
  {
    name: "a write that the fence rejected",
    end: threw(new NotLeaderError("l")),
    type: "broken-off",
    label: "requeue",
  },
  {
    name: "leadership lost",
    end: threw(new LeadershipLostError({ lease: "l", why: "taken" })),
    type: "broken-off",
    label: "requeue",
  },
  {
    name: "a version conflict",
    end: threw(apiError(409, "Conflict", "the object has been modified")),
    type: "again",
    label: "requeue",
  },
  {
    name: "a failed precondition",
    end: threw(apiError(409, "Conflict", "Precondition failed: UID")),
    type: "again",
    label: "requeue",
  },
  {
    name: "fields of another field manager",
    end: threw(apiError(409, "Conflict", "Apply failed with 1 conflict")),
    type: "failed",
    label: "error",
  },
  {
    name: "an owned object that is being deleted",
    end: threw(new BeingDeletedError({ object: "Page a", finalizers: [] })),
    type: "again",
    label: "requeue",
  },
  { name: "an object of a deleted predecessor", end: threw(notOwned(true)), type: "again", label: "requeue" },
  { name: "an object of another owner", end: threw(notOwned(false)), type: "failed", label: "error" },
  {
    name: "a terminal error",
    end: threw(new TerminalError({ reason: "X", message: "x" })),
    type: "terminal",
    label: "error",
  },
  {
    name: "an error with a terminal cause",
    end: threw(new Error("x", { cause: new TerminalError({ reason: "X", message: "x" }) })),
    type: "terminal",
    label: "error",
  },
  {
    name: "an invalid object",
    end: threw(apiError(422, "Invalid")),
    type: "terminal",
    label: "error",
  },
  { name: "a missing object", end: threw(apiError(404, "NotFound")), type: "failed", label: "error" },
  { name: "a forbidden request", end: threw(apiError(403, "Forbidden")), type: "failed", label: "error" },
  {
    name: "a busy server",
    end: threw(apiError(429, "TooManyRequests", "no", "7")),
    type: "failed",
    label: "error",
  },
  {
    name: "a broken connection",
    end: threw(new NetworkError({ socketCode: "ECONNRESET" })),
    type: "failed",
    label: "error",
  },
  {
    name: "a programming error",
    end: threw(new TypeError("x is not a function")),
    type: "failed",
    label: "error",
  },
  { name: "a thrown string", end: threw("text"), type: "failed", label: "error" },
  { name: "a thrown undefined", end: threw(undefined), type: "failed", label: "error" },
];

describe("decide", () => {
  for (const { name, end, limits = {}, type, label } of rows) {
    it(`returns ${type} for ${name}`, () => {
      const outcome = decide(end, limits);

      assert.equal(outcome.type, type);
      assert.equal(labelOf(outcome), label);
    });
  }

  it("respects the retryAfter of an error", () => {
    const busy = decide(threw(apiError(429, "TooManyRequests", "no", "7")), {});
    const patient = decide(threw(new TransientError("later", { retryAfterMs: 1234 })), {});

    assert.equal(busy.type === "failed" && busy.retryAfterMs, 7000);
    assert.equal(patient.type === "failed" && patient.retryAfterMs, 1234);
  });

  it("counts a thrown value that is not an Error, and a synchronous throw, as a panic", () => {
    const ends: ReconcileEnd[] = [
      threw(null),
      { at: "threw", error: new Error("x"), isSync: true },
      threw(new Error("x")),
    ];

    const panics = ends.map((end) => decide(end, {})).map((outcome) => outcome.type === "failed" && outcome.isPanic);

    assert.deepEqual(panics, [true, true, false]);
  });

  it("returns a reason and a message that the API server accepts for a terminal error", () => {
    const shown = (error: unknown): unknown => {
      const outcome = decide(threw(error), {});
      return outcome.type === "terminal" ? [outcome.reason, outcome.message.length] : outcome;
    };

    assert.deepEqual(shown(new TerminalError({ reason: "EvenNumber", message: "two" })), ["EvenNumber", 3]);
    assert.deepEqual(shown(new TerminalError({ reason: "not a word", message: "x".repeat(9000) })), [
      "ReconcileFailed",
      1024,
    ]);
    assert.equal(Array.isArray(shown(apiError(422, "Invalid"))), true);
  });
});
