import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ThresholdResult } from "../api/locust-test.ts";
import { type Verdict, type VerdictInput, verdictOf } from "./verdict.ts";

const kept: ThresholdResult = { metric: "failRatio", name: "Aggregated", limit: "max 0.1", actual: 0, passed: true };
const broken: ThresholdResult = { ...kept, actual: 0.5, passed: false };
const stop = { reason: "enough" };

type Row = readonly [name: string, input: VerdictInput, phase: string, reason: string, outcome: string];

const table: readonly Row[] = [
  [
    "Complete, no thresholds, a snapshot",
    { job: "Complete", hasThresholds: false, failedRequests: 3 },
    "Succeeded",
    "TestSucceeded",
    "Passed",
  ],
  [
    "Complete, no thresholds, no snapshot",
    { job: "Complete", hasThresholds: false },
    "Succeeded",
    "TestSucceeded",
    "Passed",
  ],
  [
    "Complete, all kept",
    { job: "Complete", hasThresholds: true, thresholds: [kept, kept] },
    "Succeeded",
    "TestSucceeded",
    "Passed",
  ],
  [
    "Complete, one broken",
    { job: "Complete", hasThresholds: true, thresholds: [kept, broken] },
    "Failed",
    "ThresholdsFailed",
    "Failed",
  ],
  [
    "Complete, thresholds, no snapshot",
    { job: "Complete", hasThresholds: true },
    "Failed",
    "ResultUnavailable",
    "Unknown",
  ],
  [
    "Failed with 1, failed requests",
    { job: "Failed", masterExitCode: 1, hasThresholds: false, failedRequests: 2 },
    "Failed",
    "TestFailed",
    "Failed",
  ],
  [
    "Failed with 1, no failed requests",
    { job: "Failed", masterExitCode: 1, hasThresholds: false, failedRequests: 0 },
    "Failed",
    "TestFailed",
    "Error",
  ],
  [
    "Failed with 1, no snapshot",
    { job: "Failed", masterExitCode: 1, hasThresholds: false },
    "Failed",
    "TestFailed",
    "Error",
  ],
  [
    "Failed with 2, failed requests",
    { job: "Failed", masterExitCode: 2, hasThresholds: false, failedRequests: 2 },
    "Failed",
    "TestFailed",
    "Error",
  ],
  [
    "Failed with 1, thresholds broken",
    { job: "Failed", masterExitCode: 1, hasThresholds: true, thresholds: [broken], failedRequests: 2 },
    "Failed",
    "TestFailed",
    "Error",
  ],
  [
    "Failed without a code",
    { job: "Failed", hasThresholds: false, failedRequests: 2 },
    "Failed",
    "TestFailed",
    "Error",
  ],
  [
    "Failed, abortOnFail hit",
    { job: "Failed", hasThresholds: true, thresholds: [broken], stop: { ...stop, trigger: "Threshold" } },
    "Failed",
    "ThresholdsFailed",
    "Failed",
  ],
  [
    "Complete, abortOnFail hit",
    { job: "Complete", hasThresholds: true, thresholds: [kept], stop: { ...stop, trigger: "Threshold" } },
    "Failed",
    "ThresholdsFailed",
    "Failed",
  ],
  [
    "Complete, stop requested",
    { job: "Complete", hasThresholds: false, stop: { ...stop, trigger: "Annotation" } },
    "Failed",
    "TestAborted",
    "Aborted",
  ],
  [
    "no Job, stop requested",
    { job: undefined, hasThresholds: true, stop: { ...stop, trigger: "Annotation" } },
    "Failed",
    "TestAborted",
    "Aborted",
  ],
  [
    "Failed, deadline",
    { job: "Failed", hasThresholds: true, thresholds: [kept], stop: { ...stop, trigger: "Deadline" } },
    "Failed",
    "DeadlineExceeded",
    "Error",
  ],
];

describe("verdictOf", () => {
  for (const [name, input, phase, reason, outcome] of table)
    it(`returns ${phase}, ${reason}, ${outcome} for: ${name}`, () => {
      const verdict = verdictOf(input);

      assert.deepEqual([verdict?.phase, verdict?.reason, verdict?.outcome], [phase, reason, outcome]);
    });

  it("returns undefined while the test runs", () => {
    assert.equal(verdictOf({ job: undefined, hasThresholds: false }), undefined);
  });

  it("lists up to five failed thresholds", () => {
    const cause = (thresholds: readonly ThresholdResult[]): Verdict["cause"] =>
      verdictOf({ job: "Complete", hasThresholds: true, thresholds })?.cause;

    assert.equal(cause([kept, broken]), "failRatio of Aggregated is 0.5, limit is max 0.1");
    assert.match(cause(Array.from({ length: 7 }, () => broken)) ?? "", /; and 2 more$/);
  });

  it("reports the trigger and the reason of a stop", () => {
    const cause = (trigger: "Annotation" | "Threshold" | "Deadline"): Verdict["cause"] =>
      verdictOf({ job: undefined, hasThresholds: false, stop: { trigger, reason: "enough" } })?.cause;

    assert.deepEqual(
      [cause("Annotation"), cause("Threshold"), cause("Deadline")],
      ["stopped on request: enough", "enough", "enough"],
    );
  });
});
