import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeepReadonly } from "@homeostat/core";
import type { Job, JobStatus } from "@homeostat/kubernetes/batch/v1";
import { jobEndOf } from "@homeostat/runtime";
import type { Health } from "../decide/health.ts";
import { failureCause, nextPhase, type NextPhaseInput } from "../decide/next-phase.ts";
import { phaseOf } from "../observe/jobs.ts";
import { LocustTest } from "../api/locust-test.ts";
import { conditions } from "./conditions.ts";
import { driftStatus, initialStatus, workersStatus } from "./plans.ts";

function job(status: JobStatus = {}): DeepReadonly<Job> {
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j", uid: "u" }, spec: { template: {} }, status };
}

function condition(type: string, status = "True", reason = ""): NonNullable<JobStatus["conditions"]>[number] {
  return { type, status, reason };
}

const healthy: Health = {
  isHealthy: true,
  reason: "PodsHealthy",
  message: "All pods are healthy",
  failedPods: 0,
  isWorkersOnly: false,
  isHeldByQuota: false,
  isHanging: false,
  requeueAfterMs: undefined,
};

const imageless: Health = {
  ...healthy,
  isHealthy: false,
  reason: "ImagePullError",
  message: "ImagePullError: 1 pod(s) affected [p]: no such image",
  failedPods: 1,
};

const crashed: Health = {
  ...imageless,
  reason: "CrashLoopBackOff",
  message: "CrashLoopBackOff: 1 pod(s) affected [w]: Container w exited with code 1: Error",
  isWorkersOnly: true,
};

const calm: NextPhaseInput = {
  derived: "Running",
  workerEnd: undefined,
  health: healthy,
  masterCause: undefined,
  isStopping: false,
  isEnding: false,
  mayLoseWorkers: false,
};

describe("phaseOf", () => {
  const rows: readonly [string, DeepReadonly<Job> | undefined, string][] = [
    ["absent", undefined, "Pending"],
    ["Complete", job({ conditions: [condition("Complete")] }), "Succeeded"],
    ["Failed", job({ conditions: [condition("Failed")] }), "Failed"],
    ["active", job({ active: 1 }), "Running"],
    ["without a status", job(), "Pending"],
    ["Complete with status False", job({ conditions: [condition("Complete", "False")], active: 1 }), "Running"],
    ["Complete before Failed", job({ conditions: [condition("Complete"), condition("Failed")] }), "Succeeded"],
    ["Failed before Complete", job({ conditions: [condition("Failed"), condition("Complete")] }), "Failed"],
    ["SuccessCriteriaMet alone", job({ conditions: [condition("SuccessCriteriaMet")], active: 1 }), "Running"],
    ["FailureTarget alone", job({ conditions: [condition("FailureTarget")] }), "Pending"],
    ["Failed with active pods", job({ conditions: [condition("Failed")], active: 2 }), "Failed"],
  ];
  for (const [what, given, phase] of rows) {
    it(`returns ${phase} for a master Job: ${what}`, () => {
      assert.equal(phaseOf(given), phase);
    });
  }

  it("returns why a Job has ended", () => {
    const end = jobEndOf(
      job({ conditions: [{ type: "Failed", status: "True", reason: "DeadlineExceeded", message: "m" }] }),
    );

    assert.deepEqual(end, { type: "Failed", reason: "DeadlineExceeded", message: "m" });
  });
});

describe("nextPhase", () => {
  const failed = { type: "Failed", reason: "BackoffLimitExceeded", message: "" } as const;
  const complete = { type: "Complete", reason: "", message: "" } as const;
  const rows: readonly [string, Partial<NextPhaseInput>, string, string?][] = [
    [
      "RunningNeverFallsBack: a Job without active pods does not return the test to Pending",
      { derived: "Pending" },
      "Running",
    ],
    ["UnhealthyPodsFailTheTest: pods that fail, after the grace", { health: imageless }, "Failed", imageless.message],
    [
      "UnhealthyPodsFailTheTest does not apply after the end of the master",
      { health: imageless, derived: "Succeeded" },
      "Succeeded",
    ],
    ["UnhealthyPodsFailTheTest is off while a stop is under way", { health: imageless, isStopping: true }, "Running"],
    ["UnhealthyPodsFailTheTest: a worker that crashes", { health: crashed }, "Failed", crashed.message],
    [
      "UnhealthyPodsFailTheTest excuses a crashed worker that is replaced",
      { health: crashed, mayLoseWorkers: true },
      "Running",
    ],
    [
      "UnhealthyPodsFailTheTest excuses workers that exit with their master",
      { health: crashed, isEnding: true },
      "Running",
    ],
    [
      "UnhealthyPodsFailTheTest does not excuse a missing image",
      { health: imageless, mayLoseWorkers: true },
      "Failed",
      imageless.message,
    ],
    [
      "FailedWorkersFailTheTest: the worker Job failed",
      { workerEnd: failed },
      "Failed",
      "Worker Job failed: BackoffLimitExceeded",
    ],
    [
      "FailedWorkersFailTheTest has precedence over UnhealthyPodsFailTheTest",
      { workerEnd: failed, health: crashed },
      "Failed",
      "Worker Job failed: BackoffLimitExceeded",
    ],
    [
      "FailedWorkersFailTheTest does not apply after the end of the master",
      { workerEnd: failed, derived: "Succeeded" },
      "Succeeded",
    ],
    ["FailedWorkersFailTheTest does not apply during a stop", { workerEnd: failed, isStopping: true }, "Running"],
    [
      "FailedWorkersFailTheTest does not apply after the master has exited",
      { workerEnd: failed, isEnding: true },
      "Running",
    ],
    ["completed workers do not fail the test", { workerEnd: complete }, "Running"],
    ["MasterJobDecides: the master failed", { derived: "Failed", masterCause: "why" }, "Failed", "why"],
    ["a healthy test stays Running", {}, "Running"],
  ];
  for (const [what, given, phase, cause] of rows) {
    it(what, () => {
      const next = nextPhase({ ...calm, ...given });

      assert.deepEqual([next.phase, next.cause], [phase, cause]);
    });
  }
});

describe("failureCause", () => {
  const end = { type: "Failed", reason: "BackoffLimitExceeded", message: "" } as const;
  const rows: readonly [string, Parameters<typeof failureCause>, string | undefined][] = [
    ["1", [{ exitCode: 1, reason: "Error" }, end], "master exited with code 1 (request failures or errors)"],
    ["2", [{ exitCode: 2, reason: "Error" }, end], "master exited with code 2 (unhandled error in Locust)"],
    ["OOM", [{ exitCode: 137, reason: "OOMKilled" }, end], "master exited with code 137 (OOMKilled)"],
    ["another code", [{ exitCode: 42, reason: "Error" }, end], "master exited with code 42"],
    [
      "a code with a specific reason",
      [{ exitCode: 128, reason: "StartError" }, end],
      "master exited with code 128 (StartError)",
    ],
    ["no code", [undefined, { ...end, reason: "DeadlineExceeded" }], "master Job failed: DeadlineExceeded"],
    ["a container that exited with 0", [{ exitCode: 0 }, end], "master Job failed: BackoffLimitExceeded"],
    ["nothing known", [undefined, undefined], undefined],
  ];
  for (const [what, given, cause] of rows) {
    it(what, () => {
      assert.equal(failureCause(...given), cause);
    });
  }
});

describe("workersStatus", () => {
  it("counts the active pods of the worker Job", () => {
    const plan = workersStatus({ workerJob: job({ active: 3 }), live: undefined, expected: 3 });

    assert.deepEqual(plan, {
      fields: { connectedWorkers: 3 },
      conditions: {
        WorkersConnected: { status: true, reason: "AllWorkersConnected", message: "3/3 workers connected" },
      },
    });
  });

  it("reports missing workers", () => {
    const plan = workersStatus({ workerJob: job(), live: undefined, expected: 3 });

    assert.deepEqual(plan, {
      fields: { connectedWorkers: 0 },
      conditions: { WorkersConnected: { status: false, reason: "WorkersMissing", message: "0/3 workers connected" } },
    });
  });

  it("uses the master's count if it is known", () => {
    const plan = workersStatus({ workerJob: job({ active: 3 }), live: 2, expected: 3 });

    assert.equal(plan.conditions.WorkersConnected?.message, "2/3 workers connected");
  });

  it("is empty without a Job and after workers have succeeded", () => {
    const nothing = { fields: {}, conditions: {} };

    assert.deepEqual(workersStatus({ workerJob: undefined, live: undefined, expected: 3 }), nothing);
    assert.deepEqual(workersStatus({ workerJob: job({ succeeded: 1 }), live: 0, expected: 3 }), nothing);
  });

  it("is empty while succeeded workers are neither active nor counted", () => {
    const workerJob = job({ active: 0, uncountedTerminatedPods: { succeeded: ["a", "b"] } });

    assert.deepEqual(workersStatus({ workerJob, live: undefined, expected: 2 }), { fields: {}, conditions: {} });
  });
});

describe("the status", () => {
  it("starts with Pending and four conditions", () => {
    const { fields, conditions: initial } = initialStatus({ replicas: 3, run: 1, now: 0 });

    assert.deepEqual([fields.phase, fields.expectedWorkers, fields.connectedWorkers, fields.run], ["Pending", 3, 0, 1]);
    assert.deepEqual(
      Object.entries(initial).flatMap(([type, condition]) =>
        condition === undefined ? [] : [`${type} ${condition.status} ${condition.reason}: ${condition.message}`],
      ),
      [
        "Ready false ResourcesCreating: Creating resources",
        "WorkersConnected false WaitingForWorkers: Waiting for workers to connect",
        "TestCompleted false TestInProgress: Test has not started",
        "PodsHealthy true PodsStarting: Waiting for pods to start",
      ],
    );
  });

  it("uses declared reasons only, with exactly these messages", () => {
    const { Ready, WorkersConnected, TestCompleted, PodsHealthy, SpecDrifted } = conditions;
    const messages = {
      Ready: [Ready.creating, Ready.recreating, Ready.created, Ready.testFailed, Ready.failed("why")],
      WorkersConnected: [WorkersConnected.waiting, WorkersConnected.counted(1, 1), WorkersConnected.counted(0, 1)],
      TestCompleted: [
        TestCompleted.notStarted,
        TestCompleted.running,
        TestCompleted.succeeded,
        TestCompleted.failed("ThresholdsFailed", "why"),
      ],
      PodsHealthy: [PodsHealthy.starting],
      SpecDrifted: [SpecDrifted.ignored],
    };

    for (const [type, values] of Object.entries(messages)) {
      const allowed: readonly string[] = LocustTest.conditions[type] ?? [];
      for (const { reason } of values) assert.ok(allowed.includes(reason), `${type} ${reason}`);
    }
    assert.deepEqual(Ready.created, { status: true, reason: "ResourcesCreated", message: "All resources created" });
    assert.deepEqual(Ready.testFailed, { status: false, reason: "ResourcesFailed", message: "Test failed" });
    assert.equal(Ready.recreating.message, "Recreating externally deleted resources");
    assert.deepEqual(TestCompleted.running, { status: false, reason: "TestInProgress", message: "Test is running" });
    assert.deepEqual(TestCompleted.succeeded, {
      status: true,
      reason: "TestSucceeded",
      message: "Test completed successfully",
    });
    assert.equal(TestCompleted.failed("TestFailed", undefined).message, "Test failed");
    assert.equal(TestCompleted.failed("TestFailed", "why").message, "Test failed: why");
  });

  it("reports a spec that has changed since the start", () => {
    const message = "Spec changes after creation are ignored. Delete and recreate the CR to apply changes.";

    assert.deepEqual(driftStatus(2, 1), {
      fields: { observedGeneration: 2, startedGeneration: 1 },
      conditions: { SpecDrifted: { status: true, reason: "SpecChangeIgnored", message } },
    });
    assert.deepEqual(driftStatus(2, 2).conditions, {});
    assert.deepEqual(driftStatus(2, undefined), { fields: { observedGeneration: 2 }, conditions: {} });
  });
});
