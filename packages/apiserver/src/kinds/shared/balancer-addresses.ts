import { listAt, textAt } from "../../values/fields.ts";
import { orWord } from "../../tables/words.ts";

/** Returns the addresses of a load balancer from the status of a Service or an Ingress. */
export function balancerAddresses(object: unknown): string[] {
  const entries = listAt(object, "status", "loadBalancer", "ingress");
  const addresses = entries.map((entry) => orWord(textAt(entry, "ip"), textAt(entry, "hostname")));
  return [...new Set(addresses.filter((address) => address !== ""))].toSorted();
}
