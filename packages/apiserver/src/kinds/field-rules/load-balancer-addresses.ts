import { listAt, textAt } from "../../values/fields.ts";
import { textOr } from "../../tables/cell-text.ts";

/** Returns the addresses of a load balancer from the status of a Service or an Ingress. */
export function loadBalancerAddresses(object: unknown): string[] {
  const entries = listAt(object, "status", "loadBalancer", "ingress");
  const addresses = entries.map((entry) => textOr(textAt(entry, "ip"), textAt(entry, "hostname")));
  return [...new Set(addresses.filter((address) => address !== ""))].toSorted();
}
