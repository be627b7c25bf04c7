import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { handleAdmissionReview } from "@homeostat/webhook";
import { LocustTest } from "../api/locust-test.ts";
import { readSettings } from "../settings/settings.ts";
import { locustWebhook } from "../webhooks/admission.ts";
import { specProblems, testProblems } from "./rules.ts";

const { settings } = readSettings({});
const lengthMax = 128 * 1024;

function testWithMaster(command: string): LocustTest {
  return LocustTest.default({
    apiVersion: "locust.io/v2",
    kind: "LocustTest",
    metadata: { name: "shop", namespace: "perf" },
    spec: { image: "locust", master: { command }, worker: { command: "-f a.py", replicas: 1 } },
  });
}

/** A command of a given length, with a flag that is not allowed and words that cause warnings. */
function commandOf(length: number): string {
  return `locust --worker "${" -a b".repeat(length / 5)}`.slice(0, length);
}

describe("CommandTooLong", () => {
  const long = testWithMaster(commandOf(lengthMax + 1));

  it("allows a command of 128 KiB and checks the other rules", () => {
    const rules = testProblems(testWithMaster(commandOf(lengthMax)), settings).map(({ rule }) => rule);

    assert.deepEqual(rules, ["FlagNotAllowed"]);
  });

  it("refuses a longer command without splitting it for other rules", () => {
    const expected = {
      rule: "CommandTooLong",
      path: "spec.master.command",
      message: "has 131073 characters, and at most 131072 are allowed",
    };

    assert.deepEqual(testProblems(long, settings), [expected]);
    assert.deepEqual(specProblems(long), [expected]);
  });

  it("makes the webhook refuse the test without splitting the command for warnings", async () => {
    const request = { uid: "1", operation: "CREATE", namespace: "perf", name: "shop", object: long };
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
    const bytes = new TextEncoder().encode(JSON.stringify(review));

    const { body } = await handleAdmissionReview(locustWebhook({ settings }), bytes, {
      signal: new AbortController().signal,
    });

    const { response } = JSON.parse(body) as { response: { allowed: boolean; warnings?: string[] } };
    assert.equal(response.allowed, false);
    assert.equal(response.warnings, undefined);
  });
});
