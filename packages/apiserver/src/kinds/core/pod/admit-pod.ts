import type { JsonRecord } from "@homeostat/core";
import { isSet, listAt, textAt } from "../../../values/fields.ts";
import { fill, partOf } from "../../defaulting/fill.ts";

const unreachable = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/**
 * Adds, in place, what admission adds to every new pod: tolerations for failing nodes (`DefaultTolerationSeconds`) and a priority
 * (`Priority`). For objects that do not pass through admission, such as in the comparison of defaults with kube-apiserver.
 */
export function admitPod(pod: JsonRecord): void {
  const spec = partOf(pod, "spec");
  const tolerations = [...listAt(spec, "tolerations")];
  for (const key of unreachable) {
    const isTolerated = tolerations.some((each) => {
      const effect = textAt(each, "effect");
      const own = textAt(each, "key");
      return (own === key || own === "") && (effect === "NoExecute" || effect === "");
    });
    if (!isTolerated) tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  }
  spec["tolerations"] = tolerations;
  const isSystem = systemPriorities.get(textAt(spec, "priorityClassName"));
  if (!isSet(spec, "priority")) spec["priority"] = isSystem ?? 0;
  fill(spec, { preemptionPolicy: "PreemptLowerPriority" });
}

const systemPriorities: ReadonlyMap<string, number> = new Map([
  ["system-cluster-critical", 2000000000],
  ["system-node-critical", 2000001000],
]);
