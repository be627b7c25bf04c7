import { type DeepReadonly, formatTime, parseTime } from "@homeostat/core";
import type { Lease } from "@homeostat/kubernetes/coordination/v1";
import type { Node, NodeCondition } from "@homeostat/kubernetes/core/v1";

/** Time without a heartbeat after which the state of a node is unknown (`--node-monitor-grace-period`). */
export const graceMs = 50_000;

/**
 * Returns the age of a node's last heartbeat: the renewal of its Lease, or the creation of the Node when there is no
 * Lease.
 */
export function heartbeatAgeMs(
  node: DeepReadonly<Node>,
  lease: DeepReadonly<Lease> | undefined,
  nowMs: number,
): number {
  const last = lease?.spec?.renewTime ?? node.metadata.creationTimestamp;
  return last === undefined ? 0 : nowMs - parseTime(last);
}

/** Returns the conditions of a node without a heartbeat; undefined when all are Unknown already. */
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
