import { listAt, textAt } from "../../../values/fields.ts";
import { age, nameOf, setOr } from "../../../tables/cell-text.ts";
import { loadBalancerAddresses } from "../../field-rules/load-balancer-addresses.ts";
import type { KindStrategy } from "../../strategy.ts";

/** Ingresses: their key in etcd is the singular. */
export const ingressStrategy: KindStrategy = {
  group: "networking.k8s.io",
  plural: "ingresses",
  hasGeneration: true,
  registryPath: "ingress",
  table: { cells: ingressCells },
};

function ingressCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    setOr(object, ["spec", "ingressClassName"], "<none>"),
    hostsOf(object),
    loadBalancerAddresses(object).join(","),
    listAt(object, "spec", "tls").length > 0 ? "80, 443" : "80",
    age(object, nowMs),
  ];
}

function hostsOf(ingress: unknown): string {
  const rules = listAt(ingress, "spec", "rules");
  const hosts: string[] = [];
  let isMore = false;
  for (const rule of rules) {
    if (hosts.length === 3) isMore = true;
    const host = textAt(rule, "host");
    if (!isMore && host !== "") hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return isMore ? `${hosts.join(",")} + ${rules.length - 3} more...` : hosts.join(",");
}
