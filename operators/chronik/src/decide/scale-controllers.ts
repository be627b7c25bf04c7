// Members of the quorum, one change at a time.
//
//   repair      a voter without a pod, or with the incarnation of a lost disk, is removed; a controller that does not vote is added
//   scale up    all controllers are ready and vote -> one replica more -> the new controller is added as a voter -> ...
//   scale down  the leadership moves away from the last controller -> it is removed as a voter -> one replica less -> ...
//
// Everything is derived from the StatefulSet, the pods and the view of the leader, so a restarted operator continues. Without the quorum endpoint,
// or with static membership, only the replica count changes, still one at a time.

import { nodeId } from "../api/names.ts";
import type { QuorumView, VoterIdentity } from "../component/contract.ts";
import type { ObservedMember, ObservedTier, PreviousStatus } from "../observe/observed.ts";
import { isAvailable, isObserved, missingOrdinals, type Readiness } from "./members.ts";
import { type KnownQuorum, leaderOrdinal, majorityOf, type QuorumState } from "./quorum.ts";

/** Input of {@link decideControllers}. */
export interface ControllersInput extends Readiness {
  readonly tier: ObservedTier;
  readonly desired: number;
  readonly membership: "Dynamic" | "Static";
  /** The quorum by the endpoint if any controller offers it, whatever `quorumCheck` says: voters change only through it. */
  readonly quorum: QuorumState;
  readonly previous: Pick<PreviousStatus, "bootstrapped" | "scaleDown">;
}

/** Reasons to remove a voter. */
export type RemovalReason = "DiskLost" | "PodRemoved" | "ScaleDown";

export type ControllersStep =
  /** The members are as desired. */
  | { readonly type: "none" }
  /** `isScaling`: the replica count must change; otherwise the voters must. */
  | { readonly type: "wait"; readonly isScaling: boolean; readonly reason: string }
  | { readonly type: "addVoter"; readonly leader: string; readonly member: string; readonly voter: VoterIdentity }
  | {
      readonly type: "removeVoter";
      readonly leader: string;
      readonly voter: VoterIdentity;
      readonly reason: RemovalReason;
    }
  | { readonly type: "transferLeader"; readonly leader: string }
  | { readonly type: "setReplicas"; readonly from: number; readonly to: number };

/** Time for a leader to hand over the leadership before its removal. After that, it is removed while it leads. */
export const leaderTransferMs = 30_000;

/** Decides the next change of the controllers. */
export function decideControllers(input: ControllersInput): ControllersStep {
  const { tier, desired, membership, quorum, previous } = input;
  const { set } = tier;
  // A StatefulSet that does not exist is created with all replicas at once.
  if (set === undefined) return { type: "none" };
  const isScaling = set.replicas !== desired;
  if (!previous.bootstrapped) {
    if (!isScaling) return { type: "none" };
    return wait("the controllers have not formed their first quorum", true);
  }
  if (!isObserved(set)) return isScaling ? wait("the StatefulSet is not observed yet", true) : { type: "none" };
  if (membership === "Dynamic" && quorum.source === "unknown")
    return isScaling ? wait(quorum.reason, true) : { type: "none" };
  const known = quorum.source === "unknown" ? undefined : quorum;
  if (membership === "Dynamic" && known?.view !== undefined) {
    const repair = repairVoters(input, { ...known, view: known.view });
    if (repair !== undefined) return repair;
  }
  if (!isScaling) return { type: "none" };
  const busy = tier.members.find(({ isTerminating, ordinal }) => isTerminating || ordinal >= set.replicas);
  if (busy !== undefined) return wait(`${busy.podName} is being removed`, true);
  return desired > set.replicas ? scaleUp(input, known) : scaleDown(input, known);
}

type QuorumWithView = KnownQuorum & { readonly view: QuorumView };

/** Returns the next repair of the voters; undefined if every controller votes, and nothing else does. */
function repairVoters(input: ControllersInput, quorum: QuorumWithView): ControllersStep | undefined {
  const { tier, desired } = input;
  const { view } = quorum;
  const replicas = tier.set?.replicas ?? 0;
  const memberAt = new Map(tier.members.map((member) => [member.ordinal, member]));
  const leader = memberAt.get(view.nodeId - 1)?.podName ?? "";
  for (const { id, incarnation } of view.voters) {
    const member = memberAt.get(id - 1);
    const own = member === undefined ? undefined : viewOf(member)?.incarnation;
    const isLost = own !== undefined && own !== incarnation;
    const isGone = member === undefined && id > replicas;
    if (!isLost && !isGone) continue;
    const voter = { id, incarnation };
    return canCommit(quorum) ?? { type: "removeVoter", leader, voter, reason: isLost ? "DiskLost" : "PodRemoved" };
  }
  for (const member of tier.members) {
    const { ordinal, podName, isTerminating } = member;
    const own = viewOf(member);
    const isLeaving = ordinal >= Math.min(desired, replicas);
    if (own === undefined || isTerminating || isLeaving || view.voters.some(({ id }) => id === nodeId(ordinal)))
      continue;
    const voter = { id: nodeId(ordinal), incarnation: own.incarnation };
    return canCommit(quorum) ?? { type: "addVoter", leader, member: podName, voter };
  }
  return undefined;
}

function scaleUp(input: ControllersInput, quorum: KnownQuorum | undefined): ControllersStep {
  const { tier } = input;
  const replicas = tier.set?.replicas ?? 0;
  const late = notReady(input);
  if (late !== undefined) return wait(`${late} is not ready`, true);
  if (quorum?.view !== undefined && quorum.live.size < replicas) {
    const silent = tier.members.find(({ ordinal }) => !quorum.live.has(ordinal));
    return wait(`${silent?.podName ?? "a controller"} does not vote`, true);
  }
  return { type: "setReplicas", from: replicas, to: replicas + 1 };
}

function scaleDown(input: ControllersInput, quorum: KnownQuorum | undefined): ControllersStep {
  const { tier, membership, previous, now } = input;
  const replicas = tier.set?.replicas ?? 0;
  const ordinal = replicas - 1;
  // The last controller may be down: removing it makes the quorum safer. All others must be ready.
  const late = notReady(input, ordinal);
  if (late !== undefined) return wait(`${late} is not ready`, true);
  const remaining = quorum === undefined ? readyOrdinals(input) : quorum.live;
  const left = [...remaining].filter((one) => one !== ordinal).length;
  const needed = majorityOf(replicas - 1);
  if (left < needed) return wait(`${left} ready voters would be left, and the majority is ${needed}`, true);
  const step: ControllersStep = { type: "setReplicas", from: replicas, to: replicas - 1 };
  if (membership === "Static" || quorum?.view === undefined) return step;
  const voter = quorum.view.voters.find(({ id }) => id === nodeId(ordinal));
  if (voter === undefined) return step;
  const target = tier.members.find((member) => member.ordinal === ordinal);
  const { controller: removed } = previous.scaleDown;
  const since = removed?.podName === target?.podName ? removed?.since : undefined;
  const leader = tier.members.find((member) => member.ordinal === leaderOrdinal(quorum))?.podName ?? "";
  if (leaderOrdinal(quorum) === ordinal && (since === undefined || now - since < leaderTransferMs))
    return { type: "transferLeader", leader };
  const { id, incarnation } = voter;
  return (
    canCommit({ ...quorum, view: quorum.view }) ?? {
      type: "removeVoter",
      leader,
      voter: { id, incarnation },
      reason: "ScaleDown",
    }
  );
}

/** Returns a wait if the current voters cannot commit a change: a majority of them must be live. */
function canCommit({ view, live }: QuorumWithView): ControllersStep | undefined {
  const needed = majorityOf(view.voters.length);
  if (live.size >= needed) return undefined;
  return wait(`${live.size} of ${view.voters.length} voters are ready, and the majority is ${needed}`, false);
}

function readyOrdinals(input: ControllersInput): ReadonlySet<number> {
  const ready = input.tier.members.filter((member) => isAvailable(member, input));
  return new Set(ready.map(({ ordinal }) => ordinal));
}

/** Returns the first controller that is not ready, except for one ordinal. */
function notReady(input: ControllersInput, except?: number): string | undefined {
  const { tier } = input;
  const missing = missingOrdinals(tier).find((ordinal) => ordinal !== except);
  if (missing !== undefined) return `ordinal ${missing}`;
  return tier.members.find((member) => member.ordinal !== except && !isAvailable(member, input))?.podName;
}

function viewOf({ component: { quorum }, isTerminating }: ObservedMember): QuorumView | undefined {
  return quorum?.type === "response" && !isTerminating ? quorum.value : undefined;
}

function wait(reason: string, isScaling: boolean): ControllersStep {
  return { type: "wait", isScaling, reason };
}
