import { type DeepReadonly, formatTime, parseTime } from "@homeostat/core";
import type { Lease } from "@homeostat/kubernetes/coordination/v1";
import type { Node, NodeCondition } from "@homeostat/kubernetes/core/v1";

/** How long a node may say nothing before nobody knows how it is. */
export const graceMs = 50_000;

/** How long a node has been silent, by its Lease or, without one, by its own beginning. */
export function silentMs(node: DeepReadonly<Node>, lease: DeepReadonly<Lease> | undefined, nowMs: number): number {
  const last = lease?.spec?.renewTime ?? node.metadata.creationTimestamp;
  return last === undefined ? 0 : nowMs - parseTime(last);
}

/** The conditions of a node that says nothing any more; undefined when they are so already. */
export function unknownConditions(node: DeepReadonly<Node>, nowMs: number): NodeCondition[] | undefined {
  const conditions = node.status?.conditions ?? [];
  if (conditions.every(({ status }) => status === "Unknown")) return undefined;
  return conditions.map((condition) => ({
    ...condition,
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
    lastTransitionTime: formatTime(nowMs),
  }));
}
