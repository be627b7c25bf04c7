import type { JsonRecord } from "@homeostat/core";
import { listAt } from "../../../values/fields.ts";
import { age, nameOf, selectorText } from "../../../tables/cell-text.ts";
import type { KindStrategy } from "../../strategy.ts";
import { checkNetworkPolicy } from "./validation.ts";

/** NetworkPolicies: `policyTypes` default to Ingress, and Egress if there are egress rules. */
export const networkPolicyStrategy: KindStrategy = {
  group: "networking.k8s.io",
  plural: "networkpolicies",
  hasGeneration: true,
  defaults: {
    "networking.v1.NetworkPolicySpec": { rule: defaultPolicyTypes },
    "networking.v1.NetworkPolicyPort": { values: { protocol: "TCP" } },
  },
  validate: checkNetworkPolicy,
  table: { cells: networkPolicyCells },
};

function defaultPolicyTypes(value: JsonRecord): void {
  if (listAt(value, "policyTypes").length > 0) return;
  value["policyTypes"] = ["Ingress", ...(listAt(value, "egress").length > 0 ? ["Egress"] : [])];
}

function networkPolicyCells(object: unknown, nowMs: number): unknown[] {
  const selectorTexts = { none: "<none>", invalid: "<error>" };
  return [nameOf(object), selectorText(object, selectorTexts, "spec", "podSelector"), age(object, nowMs)];
}
