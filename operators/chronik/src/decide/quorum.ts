// The quorum rule: which controllers vote, and whether the cluster keeps a majority without one of them.
//
// By readiness, every controller that is ready counts. By the quorum endpoint, a controller counts only if
//   1. a majority of the controllers, and of the voters, names the same leader in the same term, and the leader itself has responded,
//   2. the leader lists it as a voter that is caught up, and
//   3. it reports the incarnation that the leader lists, and is ready.
// Rule 3 excludes a controller that lost its disk: it returns with the id of a voter, but its former incarnation stays in the list and never
// votes again. Counting it by id would allow a restart that leaves the cluster without a majority.
//
// The size of the quorum is never smaller than the number of replicas. A controller that claims to be the only voter therefore proves nothing.

import type { QuorumView } from "../component/contract.ts";
import { describeFailure } from "../component/contract.ts";
import type { ObservedMember } from "../observe/observed.ts";
import { isAvailable, type Readiness } from "./members.ts";

export type QuorumCheck = "Auto" | "Readiness" | "Endpoint";

/** Input of {@link assessQuorum}. */
export interface QuorumInput extends Readiness {
  /** The controllers. */
  readonly members: readonly ObservedMember[];
  /** `spec.replicas` of their StatefulSet. */
  readonly replicas: number;
  readonly quorumCheck: QuorumCheck;
}

/** A quorum whose voters are known. */
export interface KnownQuorum {
  readonly source: "readiness" | "endpoint";
  /** Number of voters, at least the number of replicas. */
  readonly size: number;
  /** Ordinals of the controllers that vote and are caught up, ready or not. */
  readonly voting: ReadonlySet<number>;
  /** Ordinals of the controllers that vote, are caught up, and have been ready for `minReadySeconds`. */
  readonly live: ReadonlySet<number>;
  /** The view of the leader; undefined if the quorum is known by readiness alone. */
  readonly view: QuorumView | undefined;
}

export type QuorumState =
  | KnownQuorum
  /** The endpoint is used, but the responses prove nothing. */
  | { readonly source: "unknown"; readonly size: number; readonly reason: string };

/** Returns the smallest majority of n voters. */
export function majorityOf(n: number): number {
  return Math.floor(n / 2) + 1;
}

/** Determines the voters by the method of `quorumCheck`. */
export function assessQuorum(input: QuorumInput): QuorumState {
  const { quorumCheck, members, replicas } = input;
  const isByEndpoint = quorumCheck === "Endpoint" || (quorumCheck === "Auto" && members.some(offersQuorum));
  if (isByEndpoint) return assessByEndpoint(input);
  const live = new Set(members.filter((member) => isAvailable(member, input)).map(({ ordinal }) => ordinal));
  return { source: "readiness", size: replicas, voting: live, live, view: undefined };
}

/** Reports whether a controller offers the endpoint. A ready controller whose call failed may offer it, so the failure must count. */
function offersQuorum({ component: { quorum }, readySince }: ObservedMember): boolean {
  if (quorum === undefined || quorum.type === "notOffered") return false;
  return quorum.type === "response" || readySince !== undefined;
}

function assessByEndpoint(input: QuorumInput): QuorumState {
  const { members, replicas } = input;
  const views = new Map<number, QuorumView>();
  for (const { ordinal, component, isTerminating } of members)
    if (!isTerminating && component.quorum?.type === "response") views.set(ordinal, component.quorum.value);
  for (const view of views.values()) {
    if (view.leaderId !== view.nodeId) continue;
    const confirmed = confirmedVoters(view, views);
    const size = Math.max(replicas, view.voters.length);
    if (confirmed.size < majorityOf(view.voters.length) || followersOf(view, views) < majorityOf(replicas)) continue;
    const caughtUp = view.voters.filter((voter) => voter.caughtUp).map(({ id }) => id - 1);
    const voting = new Set(caughtUp.filter((ordinal) => confirmed.has(ordinal)));
    const available = members.filter((member) => isAvailable(member, input)).map(({ ordinal }) => ordinal);
    const live = new Set(available.filter((ordinal) => voting.has(ordinal)));
    return { source: "endpoint", size, voting, live, view };
  }
  return { source: "unknown", size: replicas, reason: whyUnknown(input, views) };
}

/** Returns the ordinals of the voters that follow a leader: same term, same leader, and the incarnation that the leader lists. */
function confirmedVoters(leader: QuorumView, views: ReadonlyMap<number, QuorumView>): ReadonlySet<number> {
  const confirmed = new Set<number>();
  for (const { id, incarnation } of leader.voters) {
    const own = views.get(id - 1);
    if (own === undefined || own.incarnation !== incarnation) continue;
    if (own.leaderId === leader.nodeId && own.term === leader.term) confirmed.add(id - 1);
  }
  return confirmed;
}

/** Returns the number of controllers that name a leader in its term. Controllers that do not vote count, too: they know the leader as well. */
function followersOf(leader: QuorumView, views: ReadonlyMap<number, QuorumView>): number {
  return [...views.values()].filter(({ leaderId, term }) => leaderId === leader.nodeId && term === leader.term).length;
}

function whyUnknown({ members, replicas }: QuorumInput, views: ReadonlyMap<number, QuorumView>): string {
  if (views.size >= majorityOf(replicas)) return "no leader is confirmed by a majority of the controllers";
  const failed = members.find(({ component: { quorum } }) => quorum !== undefined && quorum.type !== "response");
  const failure = failed?.component.quorum === undefined ? undefined : describeFailure(failed.component.quorum);
  const detail = failed === undefined || failure === undefined ? "" : `; ${failed.podName} ${failure}`;
  return `${views.size} of ${replicas} controllers report the quorum${detail}`;
}

/** Reports whether a majority of the voters is live. */
export function isQuorumHealthy(state: QuorumState): boolean {
  return state.source !== "unknown" && state.live.size >= majorityOf(state.size);
}

/** Returns the ordinal of the leader; undefined if it is not known. */
export function leaderOrdinal(state: QuorumState): number | undefined {
  const leaderId = state.source === "unknown" ? undefined : state.view?.leaderId;
  return leaderId === undefined ? undefined : leaderId - 1;
}

export type LossVerdict =
  /** `isRisk`: the cluster is too small to keep a majority, so it stops while the controller restarts. */
  { readonly isAllowed: true; readonly isRisk: boolean } | { readonly isAllowed: false; readonly message: string };

/** Decides whether a ready controller may be lost: the others must be a live majority. One or two controllers cannot keep one. */
export function mayLose(state: QuorumState, ordinal: number): LossVerdict {
  if (state.source === "unknown") return { isAllowed: false, message: state.reason };
  const others = [...state.live].filter((one) => one !== ordinal).length;
  if (state.size === 1) return { isAllowed: true, isRisk: true };
  if (state.size === 2) {
    if (others >= 1) return { isAllowed: true, isRisk: true };
    return { isAllowed: false, message: "the other controller is not a live voter" };
  }
  const needed = majorityOf(state.size);
  if (others >= needed) return { isAllowed: true, isRisk: false };
  return {
    isAllowed: false,
    message: `${others} of ${state.size} voters would be left, and the majority is ${needed}`,
  };
}

/**
 * Decides whether a controller that is not ready may be lost. It usually does not vote, and then nothing is lost.
 *
 * A controller can vote without being ready, for example if its readiness probe is wrong. Then the votes of the others must be a majority.
 */
export function mayLoseUnready(state: QuorumState, ordinal: number): LossVerdict {
  if (state.source === "unknown" || state.size <= 2 || !state.voting.has(ordinal))
    return { isAllowed: true, isRisk: false };
  const others = state.voting.size - 1;
  const needed = majorityOf(state.size);
  if (others >= needed) return { isAllowed: true, isRisk: false };
  const message = `it votes although it is not ready: ${others} of ${state.size} voters would be left, and the majority is ${needed}`;
  return { isAllowed: false, message };
}
