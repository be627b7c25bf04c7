import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lastManagerOf } from "./last-manager.ts";

const selector = { "f:spec": { "f:selector": {} } };

function serviceWith(managedFields: readonly { manager: string; time: string; fieldsV1: Record<string, unknown> }[]) {
  return { apiVersion: "v1", kind: "Service", metadata: { name: "cart", managedFields } };
}

describe("the last manager of a selector", () => {
  it("is the newest one that is not the operator", () => {
    const service = serviceWith([
      { manager: "helm", time: "2026-01-01T00:00:00Z", fieldsV1: selector },
      { manager: "argocd", time: "2026-01-02T00:00:00Z", fieldsV1: selector },
      { manager: "sandbox-operator-takeover", time: "2026-01-03T00:00:00Z", fieldsV1: selector },
      { manager: "labels", time: "2026-01-04T00:00:00Z", fieldsV1: { "f:metadata": {} } },
    ]);

    assert.equal(lastManagerOf(service, "sandbox-operator-takeover"), "argocd");
  });

  it("is unknown if no other manager wrote the spec", () => {
    assert.equal(lastManagerOf(serviceWith([]), "sandbox-operator-takeover"), undefined);
  });
});
