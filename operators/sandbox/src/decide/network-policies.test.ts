import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { restrictingPolicies } from "./network-policies.ts";

function policy(name: string, spec: NetworkPolicy["spec"]): NetworkPolicy {
  return { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name }, ...(spec && { spec }) };
}

describe("restrictingPolicies", () => {
  it("finds policies for ingress that select the pods of the Service or of the proxy", () => {
    const policies = [
      policy("proxy", { podSelector: { matchLabels: { "sandbox.example.com/proxy": "true" } } }),
      policy("deny-all", { podSelector: {}, policyTypes: ["Ingress", "Egress"] }),
      policy("cart", { podSelector: { matchLabels: { app: "cart" } } }),
      policy("orders", { podSelector: { matchLabels: { app: "orders" } } }),
      policy("egress", { podSelector: {}, policyTypes: ["Egress"] }),
    ];

    assert.deepEqual(restrictingPolicies(policies, { app: "cart" }), ["cart", "deny-all", "proxy"]);
    assert.deepEqual(restrictingPolicies([], { app: "cart" }), []);
  });
});
