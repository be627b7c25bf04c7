// Scaling of ingest nodes. Up: in one step. Down: one node at a time, the highest ordinal first, after its data has moved away.
//
//   idle -> startDrain -> draining ... -> drained -> one replica less -> the pod is gone -> the next node
//                            |
//                            +-> blocked (DrainTimeout): the count stays, and nothing else waits; a drain that completes later continues
//
// The state is the response of the node itself, so a restarted operator continues, and a node that forgot its drain starts again. The status only
// records since when the node is being removed.

import { describeFailure } from "../component/contract.ts";
import type { ObservedMember, ObservedTier, PreviousStatus } from "../observe/observed.ts";
import { isObserved } from "./members.ts";

/** Input of {@link decideIngest}. */
export interface IngestInput {
  readonly tier: ObservedTier;
  readonly desired: number;
  readonly drain: "Auto" | "Required" | "Skip";
  readonly timeoutSeconds: number;
  /** True if the user has annotated the cluster to skip the drain. */
  readonly isSkipped: boolean;
  readonly previous: Pick<PreviousStatus, "scaleDown">;
  readonly now: number;
}

/** Reasons of the condition ScaleDownBlocked. */
export type ScaleDownBlock = "DrainTimeout" | "DrainNotOffered" | "NodeNotReady";

export type IngestStep =
  | { readonly type: "none" }
  | { readonly type: "setReplicas"; readonly from: number; readonly to: number }
  | { readonly type: "startDrain"; readonly podName: string; readonly uid: string }
  | { readonly type: "cancelDrain"; readonly podName: string; readonly uid: string }
  | { readonly type: "wait"; readonly reason: string }
  /** The scale-down cannot continue. The current count is the effective target until it can. */
  | { readonly type: "blocked"; readonly podName: string; readonly reason: ScaleDownBlock; readonly message: string };

/** Interval at which a blocked scale-down is checked again. */
export const blockedRetryMs = 60_000;

/** Decides the next change of the ingest nodes. */
export function decideIngest(input: IngestInput): IngestStep {
  const { tier, desired, previous } = input;
  const { set, members } = tier;
  if (set === undefined) return { type: "none" };
  const { replicas } = set;
  if (desired >= replicas) {
    const started = previous.scaleDown.ingest?.podName;
    const draining = members.find((member) => member.podName === started && isDraining(member));
    if (draining !== undefined) return { type: "cancelDrain", podName: draining.podName, uid: draining.uid };
    return desired === replicas ? { type: "none" } : { type: "setReplicas", from: replicas, to: desired };
  }
  if (!isObserved(set)) return { type: "wait", reason: "the StatefulSet is not observed yet" };
  const leaving = members.find(({ ordinal, isTerminating }) => ordinal >= replicas || isTerminating);
  if (leaving !== undefined) return { type: "wait", reason: `${leaving.podName} is being removed` };
  return removeNode(input, replicas);
}

function removeNode(input: IngestInput, replicas: number): IngestStep {
  const { tier, drain, isSkipped, timeoutSeconds, previous, now } = input;
  const remove: IngestStep = { type: "setReplicas", from: replicas, to: replicas - 1 };
  if (isSkipped || drain === "Skip") return remove;
  const member = tier.members.find(({ ordinal }) => ordinal === replicas - 1);
  if (member?.readySince === undefined) {
    const podName = member?.podName ?? `ordinal ${replicas - 1}`;
    return { type: "blocked", podName, reason: "NodeNotReady", message: `${podName} is not ready and cannot drain` };
  }
  const { podName, uid } = member;
  const { ingest: removed } = previous.scaleDown;
  const since = removed?.podName === podName ? removed.since : now;
  const isLate = now - since > timeoutSeconds * 1_000;
  const waitFor = (reason: string): IngestStep =>
    isLate
      ? { type: "blocked", podName, reason: "DrainTimeout", message: `${reason} after ${timeoutSeconds} s` }
      : { type: "wait", reason };
  const response = member.component.drain;
  if (response === undefined) return waitFor(`the drain state of ${podName} is unknown`);
  if (response.type === "notOffered") {
    if (drain === "Auto") return remove;
    return { type: "blocked", podName, reason: "DrainNotOffered", message: `${podName} does not offer a drain` };
  }
  if (response.type !== "response") return waitFor(`${podName} ${describeFailure(response) ?? ""}`);
  const { state, partitions } = response.value;
  if (state === "drained") return remove;
  if (state === "idle") return { type: "startDrain", podName, uid };
  return waitFor(`${podName} has ${partitions} partitions left`);
}

function isDraining({ component: { drain } }: ObservedMember): boolean {
  return drain?.type === "response" && drain.value.state !== "idle";
}

/** Returns the count that restarts compare with: a blocked scale-down does not count as scaling. */
export function effectiveIngestTarget(
  step: IngestStep,
  { tier, desired }: Pick<IngestInput, "tier" | "desired">,
): number {
  return step.type === "blocked" ? (tier.set?.replicas ?? desired) : desired;
}
