// Decides which nodes a pod fits on and explains failures in the words of kube-scheduler.

import type { DeepReadonly } from "@homeostat/core";
import type { Node, Pod } from "@homeostat/kubernetes/core/v1";
import { matchesNodeAffinity } from "./node-affinity.ts";
import { anyAddress, hostPorts, type NodeUsage } from "./node-usage.ts";
import { type Amounts, amountsOf, requestsOf } from "./requests.ts";
import { hasUntoleratedTaint, isTolerated } from "./taints.ts";

/** A node and the usage of its pods, including pods that are bound and not in the cache yet. */
export interface NodeState {
  readonly node: DeepReadonly<Node>;
  readonly usage: NodeUsage;
}

/** The reasons why a pod does not fit on a node. */
export interface Misfit {
  readonly reasons: readonly string[];
  /** True if preempting other pods could make room. */
  readonly isResolvable: boolean;
}

/**
 * Returns why a pod does not fit on a node; undefined when it fits. Filters run in kube-scheduler's order, and the
 * first failing one counts.
 */
export function misfit(pod: DeepReadonly<Pod>, state: NodeState): Misfit | undefined {
  const { node } = state;
  const { tolerations } = pod.spec;
  const unschedulable = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;
  if (node.spec?.unschedulable === true && !isTolerated(unschedulable, tolerations)) {
    return { reasons: ["node(s) were unschedulable"], isResolvable: false };
  }
  if (hasUntoleratedTaint(node, tolerations))
    return { reasons: ["node(s) had untolerated taint(s)"], isResolvable: false };
  if (!matchesNodeAffinity(node, pod)) {
    return { reasons: ["node(s) didn't match Pod's node affinity/selector"], isResolvable: false };
  }
  if (hasPortConflict(pod, state)) {
    return { reasons: ["node(s) didn't have free ports for the requested pod ports"], isResolvable: true };
  }
  return resourceMisfit(pod, state);
}

/** Returns the load of a node from 0 to 1: the mean of requested CPU and memory. */
export function load({ node, usage }: NodeState): number {
  const allocatable = amountsOf(node.status?.allocatable);
  const used = usage.requests;
  const share = (name: string): number => {
    const total = allocatable.get(name) ?? 0n;
    return total === 0n ? 1 : Number(used.get(name) ?? 0n) / Number(total);
  };
  return (share("cpu") + share("memory")) / 2;
}

/** Returns the message for a pod that fits on no node. */
export function unschedulableMessage(misfits: readonly Misfit[]): string {
  if (misfits.length === 0) return "no nodes available to schedule pods";
  const none = `0/${misfits.length} nodes are available`;
  const victims = misfits.map(({ isResolvable }) =>
    isResolvable ? "No preemption victims found for incoming pod" : "Preemption is not helpful for scheduling",
  );
  // Dynamic resource allocation is not supported, so there are never claims to deallocate.
  const tail = `no new claims to deallocate, preemption: ${none}: ${histogram(victims)}.`;
  return `${none}: ${histogram(misfits.flatMap(({ reasons }) => reasons))}. ${tail}`;
}

/**
 * Returns the message for a volume problem that is independent of the node. kube-scheduler also ends it with "not
 * found".
 */
export function blockedMessage(nodes: number, problem: string): string {
  if (nodes === 0) return unschedulableMessage([]);
  return `0/${nodes} nodes are available: ${problem}. not found`;
}

function resourceMisfit(pod: DeepReadonly<Pod>, { node, usage }: NodeState): Misfit | undefined {
  const allocatable = amountsOf(node.status?.allocatable);
  const used = usage.requests;
  const reasons: string[] = [];
  let isResolvable = true;
  if (BigInt(usage.podCount + 1) > (allocatable.get("pods") ?? 0n)) reasons.push("Too many pods");
  for (const [name, amount] of inOrder(requestsOf(pod))) {
    const total = allocatable.get(name) ?? 0n;
    if (amount === 0n || amount <= total - (used.get(name) ?? 0n)) continue;
    reasons.push(`Insufficient ${name}`);
    isResolvable &&= amount <= total;
  }
  return reasons.length === 0 ? undefined : { reasons, isResolvable };
}

/** Sorts resources: CPU, memory and ephemeral storage first. */
function inOrder(amounts: Amounts): readonly (readonly [string, bigint])[] {
  const usual = ["cpu", "memory", "ephemeral-storage"];
  const place = (name: string): number => (usual.includes(name) ? usual.indexOf(name) : usual.length);
  return [...amounts].toSorted(([a], [b]) => place(a) - place(b));
}

function hasPortConflict(pod: DeepReadonly<Pod>, { usage }: NodeState): boolean {
  const requested = hostPorts(pod);
  if (requested.length === 0) return false;
  const taken = [...usage.ports];
  return requested.some((port) =>
    taken.some(
      (other) =>
        other.port === port.port &&
        other.protocol === port.protocol &&
        (other.ip === port.ip || other.ip === anyAddress || port.ip === anyAddress),
    ),
  );
}

/** Formats texts with their counts, sorted. */
function histogram(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .map(([text, count]) => `${count} ${text}`)
    .toSorted()
    .join(", ");
}
