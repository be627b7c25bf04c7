import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConflictError, SeededRandom, TerminalError, TransientError } from "@homeostat/core";
import { defineController } from "./define-controller.ts";
import type { Controller, ErrorPolicy } from "./definition.ts";
import { policyDelayMs } from "./error-policy.ts";
import { applied } from "../kinds/kinds.ts";
import { Operator, Page, Site } from "../testing/sample-operator.ts";

const minute = 60_000;

/** Long intervals, as a controller of stateful clusters uses them. */
const policy: ErrorPolicy = {
  transient: { minMs: 30_000, maxMs: 60_000 },
  permanent: { minMs: 5 * minute, maxMs: 10 * minute },
  unknown: { minMs: 2 * minute, maxMs: 2 * minute },
};

const transient = new TransientError("the broker does not respond");
const permanent = new TerminalError({ reason: "EvenControllers", message: "a quorum needs an odd number" });
const unknown = new Error("x is undefined");
const conflict = new ConflictError({
  status: 409,
  reason: "Conflict",
  serverMessage: "the object has been modified",
  causes: [],
  details: {},
  hasStatus: true,
});

/** Returns a controller that fails with the given errors, one per reconcile, and then succeeds. */
function failing(errors: readonly Error[], errorPolicy?: ErrorPolicy): { controller: Controller; startedAt: number[] } {
  const startedAt: number[] = [];
  const controller = defineController({
    for: Site,
    errorCondition: "Valid",
    ...(errorPolicy === undefined ? {} : { errorPolicy }),
    async reconcile({ clock }) {
      startedAt.push(clock.monotonic());
      const error = errors[startedAt.length - 1];
      if (error !== undefined) throw error;
    },
  });
  return { controller, startedAt };
}

async function started(controller: Controller): Promise<Operator> {
  const operator = new Operator(controller);
  operator.api.put(Site, "default/a", { spec: { text: "" }, metadata: { generation: 1 } });
  await operator.lead();
  return operator;
}

/** Returns the times between reconciles. */
const waits = (startedAt: readonly number[]): number[] => startedAt.slice(1).map((at, i) => at - (startedAt[i] ?? 0));

const isWithin = (ms: number | undefined, minMs: number, maxMs: number): boolean =>
  ms !== undefined && ms >= minMs && ms <= maxMs;

describe("an error policy", () => {
  it("retries each error class at its interval, independent of the number of failures", async () => {
    const { controller, startedAt } = failing([transient, transient, permanent, permanent, unknown, unknown], policy);
    await using operator = await started(controller);

    await operator.clock.advance(60 * minute);

    const [first, second, third, fourth, fifth, sixth, ...more] = waits(startedAt);
    assert.ok(isWithin(first, 30_000, 60_000) && isWithin(second, 30_000, 60_000), `${first} ${second}`);
    assert.ok(isWithin(third, 5 * minute, 10 * minute) && isWithin(fourth, 5 * minute, 10 * minute));
    assert.deepEqual([fifth, sixth], [2 * minute, 2 * minute]);
    assert.notEqual(first, second, "the interval has jitter");
    assert.deepEqual(more, []);
  });

  it("still counts, logs and shows a permanent error", async () => {
    const { controller } = failing([permanent, permanent], policy);
    await using operator = await started(controller);
    const shown = Object(operator.api.get(Site, "default/a")?.["status"]).conditions;
    const { now, reconciles: runs } = operator.history.explain("sites", "default/a");

    assert.deepEqual(
      [shown[0].type, shown[0].status, shown[0].reason],
      ["Valid", "False", "EvenControllers"],
      "in the condition",
    );
    assert.deepEqual([now?.state, now?.held?.why, now?.attempt], ["delayed", "terminal", 2], "in /why");
    assert.ok(isWithin((runs[0]?.nextReconcileAt ?? 0) - operator.clock.now(), 5 * minute, 10 * minute));
    assert.equal(operator.events.length, 1);

    await operator.clock.advance(30 * minute);

    const after = Object(operator.api.get(Site, "default/a")?.["status"]).conditions;
    assert.equal(after[0].status, "True");
    assert.equal(operator.metric('controller_runtime_reconcile_errors_total{controller="sites"}'), 2);
    assert.equal(operator.metric('controller_runtime_terminal_reconcile_errors_total{controller="sites"}'), 2);
    const lines = operator.logged(/^Reconcile failed$/);
    assert.deepEqual(
      lines.map(({ attempt }) => attempt),
      [1, 2],
    );
    assert.ok(lines.every(({ nextRetryAt }) => typeof nextRetryAt === "number"));
  });

  it("ends the wait of an object whose spec changes", async () => {
    const { controller, startedAt } = failing([permanent], policy);
    await using operator = await started(controller);

    operator.api.edit(Site, "default/a", { spec: { text: "new" }, metadata: { generation: 2 } });
    await operator.settle();

    assert.deepEqual(waits(startedAt), [0]);
  });

  it("ends the wait of an object whose annotations change, but not of one with other labels", async () => {
    const { controller, startedAt } = failing([permanent, permanent], policy);
    await using operator = await started(controller);

    operator.api.edit(Site, "default/a", { metadata: { labels: { a: "b" }, generation: 1 } });
    await operator.settle();
    const afterLabel = startedAt.length;
    operator.api.edit(Site, "default/a", { metadata: { annotations: { order: "now" }, generation: 1 } });
    await operator.settle();

    assert.deepEqual([afterLabel, startedAt.length], [1, 2]);
  });

  it("limits the reconciles of a failing object that events of other objects trigger", async () => {
    const startedAt: number[] = [];
    const controller = defineController({
      for: Site,
      owns: { pages: applied(Page) },
      errorPolicy: { ...policy, events: { minMs: 5_000 } },
      async reconcile({ clock, owned }) {
        startedAt.push(clock.monotonic());
        await owned.pages.apply({ metadata: { name: "p" }, spec: { text: "" } });
        throw permanent;
      },
    });
    await using operator = await started(controller);

    for (let second = 1; second <= 20; second += 1) {
      operator.api.edit(Page, "default/p", { status: { isUp: second % 2 === 0 } });
      await operator.clock.advance(1_000);
    }

    assert.deepEqual(waits(startedAt), [5_000, 5_000, 5_000, 5_000]);
  });

  it("uses backoff for conflicts and for classes that it does not name", async () => {
    const { controller, startedAt } = failing([conflict, transient, unknown], {
      unknown: { minMs: 1000, maxMs: 1000 },
    });
    await using operator = await started(controller);

    await operator.clock.advance(minute);

    const [afterConflict, afterTransient, afterUnknown] = waits(startedAt);
    assert.ok(isWithin(afterConflict, 4, 6) && isWithin(afterTransient, 8, 11), String(waits(startedAt)));
    assert.equal(afterUnknown, 1000);
  });

  it("does not delay the retry of another class after an early event", async () => {
    const { controller, startedAt } = failing([permanent, transient], { permanent: { minMs: minute, maxMs: minute } });
    await using operator = await started(controller);

    await operator.clock.advance(1000);
    operator.api.edit(Site, "default/a", { spec: { text: "new" }, metadata: { generation: 2 } });
    await operator.clock.advance(100);

    assert.equal(startedAt.length, 3);
  });

  it("waits at least as long as the retryAfter of the error", async () => {
    const slow = new TransientError("later", { retryAfterMs: 90_000 });
    const { controller, startedAt } = failing([slow], policy);
    await using operator = await started(controller);

    await operator.clock.advance(10 * minute);

    assert.deepEqual(waits(startedAt), [90_000]);
  });

  it("is optional: without one a terminal error is not retried before a change", async () => {
    const { controller, startedAt } = failing([permanent]);
    await using operator = await started(controller);

    await operator.clock.advance(60 * minute);

    assert.equal(startedAt.length, 1);
  });

  it("is rejected when its bounds are invalid", () => {
    const define = (errorPolicy: ErrorPolicy): unknown => failing([], errorPolicy);

    assert.throws(() => define({ transient: { minMs: 10, maxMs: 5 } }), /errorPolicy\.transient from 10 to 5 ms/);
    assert.throws(() => define({ permanent: { minMs: -1, maxMs: 5 } }), { code: "ARGUMENT" });
    assert.throws(() => define({ unknown: { minMs: 0, maxMs: Infinity } }), { code: "ARGUMENT" });
  });
});

describe("policyDelayMs", () => {
  it("returns delays from the whole interval", () => {
    const random = new SeededRandom(7);

    const delays = Array.from({ length: 200 }, () => policyDelayMs(transient, policy, random) ?? 0);

    assert.ok(delays.every((ms) => isWithin(ms, 30_000, 60_000)));
    assert.ok(Math.min(...delays) < 32_000 && Math.max(...delays) > 58_000);
    assert.equal(policyDelayMs(transient, {}, random), undefined);
    assert.equal(policyDelayMs(transient, undefined, random), undefined);
  });
});
