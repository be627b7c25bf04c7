import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Job, JobCondition } from "@homeostat/kubernetes/batch/v1";
import { jobEndOf } from "./job-end.ts";

function job(...conditions: JobCondition[]): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j" },
    spec: { template: {} },
    status: { conditions },
  };
}

describe("jobEndOf", () => {
  const table: readonly (readonly [string, Job | undefined, string | undefined])[] = [
    ["a missing Job", undefined, undefined],
    ["a running Job", job(), undefined],
    ["a complete Job", job({ type: "Complete", status: "True" }), "Complete"],
    ["a failed Job", job({ type: "Failed", status: "True" }), "Failed"],
    ["a condition that is not true", job({ type: "Complete", status: "False" }), undefined],
    ["a Job whose pods still terminate", job({ type: "FailureTarget", status: "True" }), undefined],
    ["a Job that has met its success criteria", job({ type: "SuccessCriteriaMet", status: "True" }), undefined],
  ];
  for (const [name, given, type] of table) {
    it(`returns ${type ?? "nothing"} for ${name}`, () => {
      assert.equal(jobEndOf(given)?.type, type);
    });
  }

  it("returns reason and message", () => {
    const failed = job(
      { type: "FailureTarget", status: "True", reason: "a", message: "b" },
      { type: "Failed", status: "True", reason: "BackoffLimitExceeded", message: "2 retries" },
    );

    assert.deepEqual(jobEndOf(failed), { type: "Failed", reason: "BackoffLimitExceeded", message: "2 retries" });
    assert.deepEqual(jobEndOf(job({ type: "Complete", status: "True" })), {
      type: "Complete",
      reason: "",
      message: "",
    });
  });
});
