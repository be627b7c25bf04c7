import type { StatefulComponent } from "../api/identity.ts";
import type { RestartReason } from "../api/status.ts";
import type { ObservedMember } from "../observe/observed.ts";
import { type Candidate, type ClosedGate, firstClosedGate, type RolloutInput } from "./gates.ts";
import { isAvailable, isBroken, outdatedMembers, restartReasonsOf } from "./members.ts";
import { leaderOrdinal, mayLose } from "./quorum.ts";

export type NextRestart =
  /** All pods are up to date. */
  | { readonly type: "none" }
  | { readonly type: "restart"; readonly restart: Restart }
  | { readonly type: "blocked"; readonly member: ObservedMember; readonly closed: ClosedGate };

/** A restart that all gates allow. */
export interface Restart {
  readonly component: StatefulComponent;
  readonly podName: string;
  /** Precondition of the request: another pod of the same name is not restarted. */
  readonly uid: string;
  readonly reasons: readonly RestartReason[];
  /** `evict` honours PodDisruptionBudgets; a pod that is not ready is deleted. */
  readonly method: "delete" | "evict";
  /** True if the quorum is too small to survive the restart. */
  readonly isQuorumRisk: boolean;
  /** True if the component check was skipped on request. */
  readonly isCheckSkipped: boolean;
  readonly fromRevision: string;
  readonly toRevision: string;
}

/**
 * Returns the outdated pods of a tier in the order in which they restart:
 *
 * 1. broken pods,
 * 2. pods that are not available. They are down already, perhaps because of the last restart, and another pod would be a second disruption,
 * 3. controllers that are ready but do not vote, or respond with nonsense. They cost no vote, and the restart may repair them. While they stay, the
 *    majority allows no other restart, so the rollout would never go on,
 * 4. the others, and
 * 5. the leader of the quorum. Each change of the leader interrupts the controllers for an election; this way there is one election per rollout.
 */
export function restartOrder(component: StatefulComponent, input: RolloutInput): readonly Candidate[] {
  const { observed, quorum, policy, now } = input;
  const leader = component === "controller" ? leaderOrdinal(quorum) : undefined;
  const rank = ({ member, isBroken: isFirst }: Candidate): number => {
    // A controller that responds may vote, or wait for the others to vote.
    if (isFirst) return component === "controller" && member.component.quorum?.type === "response" ? 1 : 0;
    if (member.ordinal === leader) return 5;
    if (!isAvailable(member, { ...policy, now })) return 2;
    const isSpare = component === "controller" && quorum.source !== "unknown" && !quorum.live.has(member.ordinal);
    return isSpare ? 3 : 4;
  };
  return outdatedMembers(component, observed[component], { claims: observed.claims, now })
    .filter(({ isTerminating }) => !isTerminating)
    .map((member): Candidate => ({ component, member, isBroken: isBroken(member, now) }))
    .toSorted((a, b) => rank(a) - rank(b) || b.member.ordinal - a.member.ordinal);
}

/** Decides the next restart in a tier. */
export function nextRestart(component: StatefulComponent, input: RolloutInput): NextRestart {
  const { observed, quorum, now } = input;
  const { set } = observed[component];
  const [candidate] = restartOrder(component, input);
  if (candidate === undefined || set === undefined) return { type: "none" };
  const { member, isBroken: isReplaced } = candidate;
  const closed = firstClosedGate(candidate, input);
  if (closed !== undefined) return { type: "blocked", member, closed };
  const loss = component === "controller" && !isReplaced ? mayLose(quorum, member.ordinal) : undefined;
  const restart: Restart = {
    component,
    podName: member.podName,
    uid: member.uid,
    reasons: restartReasonsOf(member, { component, set, claims: observed.claims, now }),
    method: isReplaced ? "delete" : "evict",
    isQuorumRisk: loss?.isAllowed === true && loss.isRisk,
    isCheckSkipped: component === "ingest" && !isReplaced && observed.requests.skipComponentCheck === member.podName,
    fromRevision: member.revision,
    toRevision: set.updateRevision,
  };
  return { type: "restart", restart };
}

/** The state of a rollout towards its deadline. */
export interface ProgressState {
  /** Pods of the update revision that did not become ready within the deadline. */
  readonly latePods: readonly string[];
  /** Time of the next deadline; undefined if no new pod is waited for. */
  readonly deadlineAt: number | undefined;
}

/** Returns the new pods of a tier that exceed the progress deadline. The rollout stays stopped until they are ready or the spec changes. */
export function progressOf(component: StatefulComponent, { observed, policy, now }: RolloutInput): ProgressState {
  const { set, members } = observed[component];
  const latePods: string[] = [];
  let deadlineAt: number | undefined;
  for (const member of members) {
    const { unreadySince, revision, podName } = member;
    if (unreadySince === undefined || revision !== set?.updateRevision || isAvailable(member, { ...policy, now }))
      continue;
    const end = unreadySince + policy.progressDeadlineSeconds * 1_000;
    if (end <= now) latePods.push(podName);
    else deadlineAt = Math.min(deadlineAt ?? end, end);
  }
  return { latePods, deadlineAt };
}
