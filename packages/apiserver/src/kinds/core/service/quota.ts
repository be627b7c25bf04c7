import { type Quantity, quantityFromInteger } from "@homeostat/core";
import type { QuotaEvaluator } from "../../../admission/quota-evaluator.ts";
import { one } from "../../../admission/resource-lists.ts";
import { listAt, numberAt, textAt, valueAt } from "../../../values/fields.ts";

const names = new Set(["services", "services.nodeports", "services.loadbalancers"]);

/** Evaluator of Services: quotas limit node ports and load balancers. */
export const serviceQuota: QuotaEvaluator = {
  measures: (name) => names.has(name),
  usage: serviceUsage,
  measuresUpdate: () => true,
};

function serviceUsage(service: unknown): ReadonlyMap<string, Quantity> {
  const type = textAt(service, "spec", "type");
  const ports = listAt(service, "spec", "ports");
  const isBalanced = type === "LoadBalancer";
  const allocated =
    isBalanced && valueAt(service, "spec", "allocateLoadBalancerNodePorts") === false
      ? ports.filter((port) => numberAt(port, "nodePort") !== 0)
      : ports;
  return new Map([
    ["services", one],
    ["services.loadbalancers", quantityFromInteger(isBalanced ? 1 : 0)],
    ["services.nodeports", quantityFromInteger(isBalanced || type === "NodePort" ? allocated.length : 0)],
  ]);
}
