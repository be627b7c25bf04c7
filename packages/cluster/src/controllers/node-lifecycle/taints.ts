import { type DeepReadonly, isEqual } from "@homeostat/core";
import type { Node, Taint } from "@homeostat/kubernetes/core/v1";

const prefix = "node.kubernetes.io/";

/** Taints by condition type and status (`nodeConditionToTaintKeyStatusMap`). */
const conditionTaints: readonly (readonly [type: string, status: string, taint: string])[] = [
  ["Ready", "False", "not-ready"],
  ["Ready", "Unknown", "unreachable"],
  ["MemoryPressure", "True", "memory-pressure"],
  ["DiskPressure", "True", "disk-pressure"],
  ["PIDPressure", "True", "pid-pressure"],
  ["NetworkUnavailable", "True", "network-unavailable"],
];

const managed: ReadonlySet<string> = new Set(
  [...conditionTaints.map(([, , name]) => name), "unschedulable"].map((name) => prefix + name),
);

/**
 * Returns the desired taints: those of other owners unchanged, and those of this controller by the node's conditions.
 * Undefined when the node has them already.
 */
export function desiredTaints({ spec, status }: DeepReadonly<Node>): Taint[] | undefined {
  const taints = spec?.taints ?? [];
  const keys = new Set<string>();
  for (const [type, value, name] of conditionTaints) {
    const found = status?.conditions?.find((condition) => condition.type === type);
    if (found?.status === value) keys.add(prefix + name);
  }
  if (spec?.unschedulable === true) keys.add(`${prefix}unschedulable`);
  const kept = taints.filter(({ key, effect }) => effect !== "NoSchedule" || !managed.has(key) || keys.has(key));
  const had = new Set(kept.filter(({ effect }) => effect === "NoSchedule").map(({ key }) => key));
  const added = [...keys].filter((key) => !had.has(key)).map((key): Taint => ({ key, effect: "NoSchedule" }));
  const desired = [...kept.map((taint): Taint => ({ ...taint })), ...added];
  return isEqual(desired, taints) ? undefined : desired;
}
