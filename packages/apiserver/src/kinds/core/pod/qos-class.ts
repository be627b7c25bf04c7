import { isQuantity, parseQuantity, type Quantity } from "@homeostat/core";
import { entriesAt, isSet, listAt, valueAt } from "../../../values/fields.ts";

const counted = new Set(["cpu", "memory"]);

/** Returns the QoS class of a pod. */
export function qosClassOf(pod: unknown): "BestEffort" | "Burstable" | "Guaranteed" {
  const whole = valueAt(pod, "spec", "resources");
  const parts = isSet(whole)
    ? [whole]
    : [...listAt(pod, "spec", "containers"), ...listAt(pod, "spec", "initContainers")].map((container) =>
        valueAt(container, "resources"),
      );
  const requests = new Map<string, Quantity>();
  const limits = new Map<string, Quantity>();
  let isGuaranteed = true;
  for (const part of parts) {
    add(requests, part, "requests");
    const limited = add(limits, part, "limits");
    if (limited < counted.size && !(isSet(whole) && entriesAt(part, "limits").length === 0)) isGuaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const isSame = [...requests].every(([name, amount]) => limits.get(name)?.compareTo(amount) === 0);
  return isGuaranteed && isSame && requests.size === limits.size ? "Guaranteed" : "Burstable";
}

/** Adds the amounts of a container to the sums, and returns how many resources it names. */
function add(sums: Map<string, Quantity>, part: unknown, field: string): number {
  let names = 0;
  for (const [name, value] of entriesAt(part, field)) {
    const text = String(value);
    if (!counted.has(name) || !isQuantity(text)) continue;
    const amount = parseQuantity(text);
    if (amount.sign() <= 0) continue;
    names += 1;
    const sum = sums.get(name);
    sums.set(name, sum === undefined ? amount : sum.add(amount));
  }
  return names;
}
