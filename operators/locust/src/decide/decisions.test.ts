import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiErrorFrom, asStored, type DeepReadonly, type KubeObject, NetworkError, type Stored } from "@homeostat/core";
import type { Job, JobStatus } from "@homeostat/kubernetes/batch/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { BeingDeletedError, NotOwnedError } from "@homeostat/runtime";
import type { ObservedJob } from "../observe/jobs.ts";
import { testOfPod } from "../observe/kinds.ts";
import type { Reason } from "../api/locust-test.ts";
import { decideCreateFailure } from "./create-failure.ts";
import { decideMissing, type MissingInput, type MissingStep } from "./missing.ts";
import { isProvisional } from "./next-phase.ts";

function job(status: JobStatus = {}): DeepReadonly<Job> {
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" }, spec: { template: {} }, status };
}

const running = job({ active: 1 });
const complete = job({ conditions: [{ type: "Complete", status: "True" }] });
const failed = job({ conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] });

const present = (given: DeepReadonly<Job>): ObservedJob => ({ isPresent: true, job: given });
const deleted = (last?: DeepReadonly<Job>): ObservedJob => ({ isPresent: false, job: last });

const whole: MissingInput = {
  hasService: true,
  masterJob: present(running),
  workerJob: present(running),
  hasTtl: false,
  isDrifted: false,
};

/** Describes a step in a few words. */
function wordsFor(step: MissingStep): string {
  if (step.type === "continue") return "continue";
  if (step.type === "fail") return `fail ${step.reason}`;
  return `recover ${step.missing.join(", ")}${step.isMasterLost ? ", all start again" : ""}`;
}

describe("decideMissing", () => {
  const rows: readonly [string, Partial<MissingInput>, string][] = [
    ["nothing", {}, "continue"],
    ["the Service", { hasService: false }, "recover Master Service"],
    ["the Service, after an edit", { hasService: false, isDrifted: true }, "recover Master Service"],
    ["the worker Job", { workerJob: deleted() }, "recover Worker Job"],
    ["the worker Job, whose last state is known", { workerJob: deleted(running) }, "recover Worker Job"],
    ["the worker Job, with a TTL", { workerJob: deleted(), hasTtl: true }, "recover Worker Job"],
    ["the worker Job, after an edit", { workerJob: deleted(), isDrifted: true }, "fail TestFailed"],
    ["a worker Job that had completed", { workerJob: deleted(complete) }, "continue"],
    ["a worker Job that had failed", { workerJob: deleted(failed) }, "continue"],
    ["the master Job", { masterJob: deleted() }, "recover Master Job, all start again"],
    ["a master Job that had ended", { masterJob: deleted(complete), hasTtl: true }, "continue"],
    [
      "all, of a master Job that had failed",
      { masterJob: deleted(failed), workerJob: deleted(), hasService: false },
      "continue",
    ],
    [
      "the master Job, which its TTL may have removed",
      { masterJob: deleted(), hasTtl: true },
      "fail ResultUnavailable",
    ],
    ["the same after an edit", { masterJob: deleted(), hasTtl: true, isDrifted: true }, "fail ResultUnavailable"],
    [
      "a master Job with a TTL that was deleted while it ran",
      { masterJob: deleted(running), hasTtl: true },
      "recover Master Job, all start again",
    ],
    ["the master Job, after an edit", { masterJob: deleted(), isDrifted: true }, "fail TestFailed"],
    [
      "everything",
      { masterJob: deleted(), workerJob: deleted(), hasService: false },
      "recover Master Service, Master Job, Worker Job, all start again",
    ],
    [
      "the rest of a test whose master has ended",
      { masterJob: present(complete), workerJob: deleted(), hasService: false },
      "continue",
    ],
  ];
  for (const [what, given, words] of rows) {
    it(`decides for missing ${what}: ${words}`, () => {
      assert.equal(wordsFor(decideMissing({ ...whole, ...given })), words);
    });
  }
});

describe("decideCreateFailure", () => {
  const apiError = (status: number, reason: string, more: object = {}): Error =>
    apiErrorFrom({
      status,
      body: {
        kind: "Status",
        apiVersion: "v1",
        status: "Failure",
        reason,
        code: status,
        message: "the API text",
        ...more,
      },
    });
  const owner = { apiVersion: "locust.io/v2", kind: "LocustTest", name: "b", uid: "u" };
  const notOwned = (isPredecessor: boolean): NotOwnedError =>
    new NotOwnedError({ object: "Service n/a-master", neededBy: "LocustTest n/a", owner, isPredecessor });
  const rows: readonly [string, unknown, object][] = [
    ["it is being deleted", new BeingDeletedError({ object: "Job n/a", finalizers: [] }), { type: "wait" }],
    ["it belongs to an earlier test of the same name", notOwned(true), { type: "wait" }],
    [
      "it belongs to another owner",
      notOwned(false),
      { type: "report", isRefusal: false, message: notOwned(false).message },
    ],
    ["422", apiError(422, "Invalid"), { type: "report", isRefusal: true, message: "the API text" }],
    ["403", apiError(403, "Forbidden"), { type: "report", isRefusal: true, message: "the API text" }],
    ["500", apiError(500, "InternalError"), { type: "report", isRefusal: false, message: "the API text" }],
    [
      "the namespace is terminating",
      apiError(403, "Forbidden", { details: { causes: [{ reason: "NamespaceTerminating", message: "m" }] } }),
      { type: "stop" },
    ],
    [
      "the namespace does not exist",
      apiError(404, "NotFound", { details: { kind: "namespaces", name: "n" } }),
      { type: "stop" },
    ],
    [
      "the connection failed",
      new NetworkError({}),
      { type: "report", isRefusal: false, message: new NetworkError({}).message },
    ],
    ["something else was thrown", "text", { type: "report", isRefusal: false, message: "text" }],
  ];
  for (const [what, error, expected] of rows) {
    it(what, () => {
      assert.deepEqual(decideCreateFailure(error), expected);
    });
  }
});

describe("isProvisional (StartupFailureIsProvisional)", () => {
  const text = (reason: string): string => `${reason}: 1 pod(s) affected [p]: why`;
  const status = (
    reason: Reason<"PodsHealthy">,
    message = `Test failed: ${text(reason)}`,
  ): Parameters<typeof isProvisional>[0] => ({
    phase: "Failed",
    conditions: [
      { type: "PodsHealthy", status: "False", reason, message: text(reason), lastTransitionTime: "" },
      { type: "TestCompleted", status: "True", reason: "TestFailed", message, lastTransitionTime: "" },
    ],
  });

  for (const [reason, may] of [
    ["ConfigurationError", true],
    ["ImagePullError", true],
    ["SchedulingError", true],
    ["CrashLoopBackOff", false],
    ["InitializationError", false],
  ] as const) {
    it(`${reason}: ${may}`, () => {
      assert.equal(isProvisional(status(reason)), may);
    });
  }

  it("returns false if the test failed for another reason", () => {
    assert.equal(
      isProvisional(status("ImagePullError", "Test failed: Worker Job failed: BackoffLimitExceeded")),
      false,
    );
    assert.equal(isProvisional({ ...status("ImagePullError"), phase: "Running" }), false);
  });
});

describe("testOfPod", () => {
  const owned = (owner: object): KubeObject["metadata"] => ({
    name: "x",
    namespace: "n",
    uid: "x",
    resourceVersion: "1",
    ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "u", controller: true, ...owner }],
  });
  const pod = (owner: object): Stored<Pod> =>
    asStored<Pod>({ apiVersion: "v1", kind: "Pod", metadata: owned(owner), spec: { containers: [] } });
  const cacheWith = (owner: object | undefined): Parameters<typeof testOfPod>[1] => ({
    get: (type, key) => {
      const name = typeof key === "string" ? key : `${key.namespace}/${key.name}`;
      if (owner === undefined || type.kind !== "Job" || name !== "n/j") return undefined;
      const found: unknown = { ...running, metadata: owned(owner) };
      return found as ReturnType<Parameters<typeof testOfPod>[1]["get"]> & undefined;
    },
  });
  const ofJob = pod({ apiVersion: "batch/v1", kind: "Job", name: "j" });
  const ofTest = cacheWith({ apiVersion: "locust.io/v2", kind: "LocustTest", name: "t" });

  it("returns the test that owns the Job of the pod", () => {
    assert.deepEqual(testOfPod(ofJob, ofTest), ["n/t"]);
    assert.deepEqual(testOfPod(ofJob, cacheWith({ apiVersion: "locust.io/v1", kind: "LocustTest", name: "t" })), [
      "n/t",
    ]);
  });

  it("returns nothing if the Job is missing, has another owner, or is not a Job", () => {
    assert.deepEqual(testOfPod(ofJob, cacheWith(undefined)), []);
    assert.deepEqual(testOfPod(ofJob, cacheWith({ apiVersion: "batch/v1", kind: "CronJob", name: "t" })), []);
    assert.deepEqual(testOfPod(pod({ apiVersion: "apps/v1", kind: "ReplicaSet", name: "j" }), ofTest), []);
  });
});
