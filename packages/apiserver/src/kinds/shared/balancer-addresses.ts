import { listAt, textAt } from "../../tables/read.ts";
import { orWord } from "../../tables/words.ts";

export function balancerAddresses(object: unknown): string[] {
  const entries = listAt(object, "status", "loadBalancer", "ingress");
  const addresses = entries.map((entry) => orWord(textAt(entry, "ip"), textAt(entry, "hostname")));
  return [...new Set(addresses.filter((address) => address !== ""))].toSorted();
}
