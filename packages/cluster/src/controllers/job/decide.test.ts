import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { noFailures } from "./backoff.ts";
import { job, now, pod } from "../../testing/jobs.ts";
import { isComplete, planPods, decideOutcome } from "./decide.ts";
import { failureCountAnnotation } from "./job.ts";
import { viewJob } from "./view.ts";

const view = (
  ...[one, pods, record = noFailures]: [ReturnType<typeof job>, ReturnType<typeof pod>[], typeof noFailures?]
) => viewJob(one, pods, { record, now });
const indexed = { completionMode: "Indexed" as const };

describe("planPods", () => {
  it("creates no more pods than completions are left", () => {
    const one = job({ parallelism: 5, completions: 3 }, { succeeded: 1 });

    assert.deepEqual(planPods(view(one, [])), { type: "create", count: 2 });
    assert.deepEqual(planPods(view(one, [pod("a"), pod("b")])), { type: "nothing" });
  });

  it("creates no pod after the first success of a Job without completions", () => {
    const { completions: _, ...spec } = job({ parallelism: 3 }).spec;
    const one = { ...job(), spec };

    assert.deepEqual(planPods(view(one, [pod("a")])), { type: "create", count: 2 });
    assert.deepEqual(planPods(view(one, [pod("a"), pod("b", { phase: "Succeeded" })])), { type: "nothing" });
  });

  it("deletes all active pods while the Job is suspended", () => {
    const plan = planPods(view(job({ suspend: true, parallelism: 2, completions: 2 }), [pod("a"), pod("b")]));

    assert.equal(plan.type === "delete" && plan.pods.length, 2);
  });

  it("deletes pods first that have made the least progress", () => {
    const plan = planPods(view(job({ parallelism: 1, completions: 4 }), [pod("a"), pod("b", { phase: "Pending" })]));

    assert.deepEqual(plan.type === "delete" && plan.pods.map(({ metadata }) => metadata.uid), ["b"]);
  });

  it("waits longer after each failure", () => {
    const one = job({ backoffLimit: 10 });
    const wait = (failures: number): unknown => planPods(view(one, [], { failures, lastFailureAt: now - 3000 }));

    assert.deepEqual(wait(1), { type: "wait", ms: 7000 });
    assert.deepEqual(wait(2), { type: "wait", ms: 17_000 });
    assert.deepEqual(wait(30), { type: "wait", ms: 597_000 });
  });

  it("replaces a terminating pod at once, or only when it has failed, by policy", () => {
    const going = pod("a", { isBeingDeleted: true });
    const record = { failures: 0 };

    const soon = planPods({ ...view(job(), [going]), record });
    const later = planPods({ ...view(job({ podReplacementPolicy: "Failed" }), [going]), record });

    assert.deepEqual(soon, { type: "create", count: 1 });
    assert.deepEqual(later, { type: "nothing" });
  });

  it("creates one pod for each index that is neither completed nor active", () => {
    const one = job({ ...indexed, parallelism: 3, completions: 6 }, { completedIndexes: "0,2" });

    assert.deepEqual(planPods(view(one, [pod("a", { index: 3 })])), { type: "create", count: 2, indexes: [1, 4] });
  });

  it("deletes a duplicate pod of an index, and pods without a valid index", () => {
    const one = job({ ...indexed, parallelism: 3, completions: 3 });
    const pods = [pod("a", { index: 0 }), pod("b", { index: 0, phase: "Pending" }), pod("c"), pod("d", { index: 7 })];

    const plan = planPods(view(one, pods));

    const deleted = plan.type === "delete" ? plan.pods.map(({ metadata }) => metadata.uid) : [];
    assert.deepEqual(deleted.toSorted(), ["b", "c", "d"]);
  });

  it("waits per index with backoffLimitPerIndex", () => {
    const one = job({ ...indexed, parallelism: 2, completions: 2, backoffLimitPerIndex: 3 });
    const failed = pod("a", {
      index: 0,
      phase: "Failed",
      endedAgo: 4,
      annotations: { [failureCountAnnotation]: "1" },
    });

    assert.deepEqual(planPods(view(one, [failed])), { type: "create", count: 1, indexes: [1] });
    assert.deepEqual(planPods(view(one, [failed, pod("b", { index: 1 })])), { type: "wait", ms: 16_000 });
  });
});

describe("the outcome of a Job", () => {
  const reasonOf = (...about: Parameters<typeof view>): string | undefined => decideOutcome(view(...about))?.reason;

  it("is failure when too many pods have failed", () => {
    const failed = [pod("a", { phase: "Failed" }), pod("b", { phase: "Failed" })];

    assert.equal(reasonOf(job({ backoffLimit: 2 }), failed), undefined);
    assert.equal(reasonOf(job({ backoffLimit: 1 }), failed), "BackoffLimitExceeded");
    assert.equal(reasonOf(job({ backoffLimit: 2 }, { failed: 1 }), failed), "BackoffLimitExceeded");
  });

  it("counts a pod once, whether it is in the status already or not", () => {
    const failed = [pod("a", { phase: "Failed" })];

    const viewed = view(job({}, { failed: 1, uncountedTerminatedPods: { failed: ["a"] } }), failed);

    assert.equal(viewed.failed, 2);
  });

  it("ignores failures by policy, and is failure on a FailJob rule", () => {
    const podFailurePolicy = {
      rules: [
        { action: "Ignore" as const, onExitCodes: { operator: "In" as const, values: [7] } },
        { action: "FailJob" as const, onExitCodes: { operator: "NotIn" as const, values: [1] } },
      ],
    };
    const at = (exitCode: number): Parameters<typeof view>[1] => [pod("a", { phase: "Failed", exitCode })];

    assert.equal(view(job({ podFailurePolicy }), at(7)).failed, 0);
    assert.equal(reasonOf(job({ podFailurePolicy, backoffLimit: 0 }), at(7)), undefined);
    assert.equal(reasonOf(job({ podFailurePolicy, backoffLimit: 0 }), at(1)), "BackoffLimitExceeded");
    assert.equal(
      decideOutcome(view(job({ podFailurePolicy }), at(9)))?.message,
      "Container work for pod default/work-a failed with exit code 9 matching FailJob rule at index 1",
    );
  });

  it("is failure when the active deadline has passed", () => {
    const startTime = "2026-01-01T11:59:50Z";

    assert.equal(reasonOf(job({ activeDeadlineSeconds: 11 }, { startTime }), []), undefined);
    assert.equal(reasonOf(job({ activeDeadlineSeconds: 10 }, { startTime }), []), "DeadlineExceeded");
    assert.equal(reasonOf(job({ activeDeadlineSeconds: 10, suspend: true }, { startTime }), []), undefined);
  });

  it("is failure when indexes have failed and all others are completed", () => {
    const spec = { ...indexed, completions: 2, parallelism: 2, backoffLimitPerIndex: 0 };
    const failed = pod("a", { index: 0, phase: "Failed" });

    assert.equal(reasonOf(job(spec), [failed]), undefined);
    assert.equal(reasonOf(job(spec), [failed, pod("b", { index: 1, phase: "Succeeded" })]), "FailedIndexes");
    assert.equal(reasonOf(job({ ...spec, maxFailedIndexes: 0 }), [failed]), "MaxFailedIndexesExceeded");
  });

  it("is success when the success policy is met", () => {
    const successPolicy = { rules: [{ succeededIndexes: "2" }, { succeededCount: 1 }] };
    const one = job({ ...indexed, completions: 3, parallelism: 3, successPolicy });

    const outcome = decideOutcome(view(one, [pod("a", { index: 0, phase: "Succeeded" })]));

    assert.equal(outcome?.type, "SuccessCriteriaMet");
    assert.equal(outcome?.message, "Matched rules at index 1");
  });

  it("keeps the condition that was written before", () => {
    const target = { type: "FailureTarget", status: "True", reason: "DeadlineExceeded", message: "m" };
    const met = { type: "SuccessCriteriaMet", status: "True", reason: "SuccessPolicy", message: "m" };

    assert.equal(decideOutcome(view(job({}, { conditions: [target] }), []))?.type, "Failed");
    assert.equal(decideOutcome(view(job({}, { conditions: [target, met] }), []))?.type, "SuccessCriteriaMet");
  });

  it("is completion when all pods have succeeded and none is active", () => {
    const one = view(job({ completions: 2 }, { succeeded: 1 }), [pod("a", { phase: "Succeeded" })]);

    assert.equal(isComplete(one, 0), true);
    assert.equal(isComplete(one, 1), false);
  });
});
