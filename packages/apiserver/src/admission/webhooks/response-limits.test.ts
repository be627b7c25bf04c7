import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readReview } from "../../crd/review.ts";
import { limitProblem } from "./response-limits.ts";
import { readReviewResponse } from "./review.ts";

const nested = "[".repeat(1_000_000);
const many = (count: number): string => `{"response":[${"{},".repeat(count)}{}]}`;

describe("limitProblem", () => {
  it("accepts a review with a patch of megabytes, and a patch of many operations", () => {
    const review = JSON.stringify({ response: { allowed: true, patch: "a".repeat(4_000_000) } });
    const operations = Array.from({ length: 10_000 }, (_, index) => ({
      op: "add",
      path: `/data/k${index}`,
      value: "v",
    }));

    assert.equal(limitProblem(review, "AdmissionReview"), undefined);
    assert.equal(limitProblem(JSON.stringify(operations), "patch"), undefined);
    assert.equal(limitProblem("kind: AdmissionReview", "AdmissionReview"), undefined);
  });

  it("refuses documents that are nested too deep or have too many values", () => {
    assert.match(limitProblem(`{"a":${nested}`, "AdmissionReview") ?? "", /limit of 1000 levels of nesting/);
    assert.match(limitProblem(`{"a":${nested}`, "ConversionReview") ?? "", /limit of 1000 levels of nesting/);
    assert.match(limitProblem(nested, "patch") ?? "", /limit of 1000 levels of nesting/);
    assert.match(limitProblem(many(10_000), "AdmissionReview") ?? "", /limit of 20000 values/);
    assert.match(limitProblem(many(500_000), "ConversionReview") ?? "", /limit of 1000000 values/);
    assert.match(limitProblem(many(100_000), "patch") ?? "", /limit of 200000 values/);
  });

  it("refuses YAML that would take long to parse", () => {
    assert.match(limitProblem(nested, "AdmissionReview") ?? "", /limit of 262144 bytes of YAML/);
  });
});

describe("webhook responses beyond the limits", () => {
  it("fail the call", () => {
    const options = { uid: "1", version: "v1", mayPatch: true } as const;

    assert.throws(() => readReviewResponse(`{"a":${nested}`, options), {
      code: "WEBHOOK_CALL",
      message: /levels of nesting/,
    });
    assert.throws(() => readReviewResponse(nested, options), { code: "WEBHOOK_CALL", message: /bytes of YAML/ });
  });

  it("fail the conversion", () => {
    const read = readReview(`{"a":${nested}`, { uid: "1", apiVersion: "apiextensions.k8s.io/v1", text: "" });

    assert.match("problem" in read ? read.problem : "", /levels of nesting/);
  });
});
