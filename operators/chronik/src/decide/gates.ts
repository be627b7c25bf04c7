// Gates of restarts. Before a pod restarts, every gate of its tier must be open; the first closed one is shown in the status.
//
// A pod is broken if it is outdated, not ready, and either does not run or has not been ready for a while. Replacing it disrupts nothing, and it is how a bad rollout is repaired: the user fixes the
// spec, and the broken pod is replaced at once. Most gates therefore do not apply to broken pods.

import type { StatefulComponent } from "../api/identity.ts";
import { describeFailure } from "../component/contract.ts";
import type { Observed, ObservedMember, ObservedTier } from "../observe/observed.ts";
import { type CanaryPolicy, type CanaryState, canaryState } from "./canary.ts";
import { isAvailable, isObserved, missingOrdinals, outdatedMembers, stuckAfterMs } from "./members.ts";
import { isQuorumHealthy, mayLose, mayLoseUnready, type QuorumCheck, type QuorumState } from "./quorum.ts";
import type { RolloutPermission } from "./rollout-limit.ts";
import { type MaintenanceWindow, windowState } from "./windows.ts";

/** Names of gates in `status.rollout.components[].blockedBy`. */
export const gateNames = [
  "Manual",
  "Window",
  "RolloutLimit",
  "Scaling",
  "Observed",
  "TierOrder",
  "Terminating",
  "NewPodNotReady",
  "Canary",
  "Delay",
  "Quorum",
  "Availability",
  "ComponentCheck",
  /** Not a decision: the API server refuses the eviction because of a PodDisruptionBudget. */
  "Budget",
] as const;

export type GateName = (typeof gateNames)[number];

/** The update strategy of the spec. */
export interface UpdatePolicy {
  readonly type: "Rolling" | "Manual";
  readonly maxUnavailable: number;
  readonly restartDelaySeconds: number;
  readonly minReadySeconds: number;
  readonly progressDeadlineSeconds: number;
  readonly quorumCheck: QuorumCheck;
  readonly windows?: readonly MaintenanceWindow[] | undefined;
  readonly canary?: CanaryPolicy | undefined;
}

/** Input of decisions about restarts. */
export interface RolloutInput {
  readonly observed: Pick<Observed, StatefulComponent | "claims" | "previous" | "requests">;
  readonly policy: UpdatePolicy;
  readonly quorum: QuorumState;
  /** The counts that scaling works towards. A blocked scale-down does not count, so that it blocks nothing else. */
  readonly targets: Readonly<Record<StatefulComponent, number>>;
  /** Decision of the limit on rollouts across clusters. */
  readonly permission: RolloutPermission;
  readonly now: number;
}

/** A pod that is about to restart. */
export interface Candidate {
  readonly component: StatefulComponent;
  readonly member: ObservedMember;
  /** True if the replacement of the pod disrupts nothing. */
  readonly isBroken: boolean;
}

/** A closed gate. */
export interface ClosedGate {
  readonly gate: GateName;
  readonly message: string;
  /** Time at which the gate opens, if it is known. */
  readonly opensAt?: number | undefined;
}

/** A check before a restart. Returns why the gate is closed; undefined if it is open. */
export interface Gate {
  readonly name: GateName;
  readonly check: (
    candidate: Candidate,
    input: RolloutInput,
  ) => string | { message: string; opensAt: number } | undefined;
}

const stateful = ["controller", "ingest"] as const satisfies readonly StatefulComponent[];

const updatesAreAutomatic: Gate = {
  name: "Manual",
  check: (_candidate, { policy }) =>
    policy.type === "Manual" ? "updateStrategy.type is Manual; delete the pod to update it" : undefined,
};

const maintenanceWindowIsOpen: Gate = {
  name: "Window",
  check: ({ isBroken }, { policy, now }) => {
    const window = isBroken ? { isOpen: true as const } : windowState(policy.windows, now);
    if (window.isOpen) return undefined;
    const { opensAt } = window;
    if (opensAt === undefined) return "no maintenance window opens; check the time zones";
    return { message: `the next maintenance window opens at ${new Date(opensAt).toISOString()}`, opensAt };
  },
};

const rolloutLimitAllows: Gate = {
  name: "RolloutLimit",
  check: ({ isBroken }, { permission }) => (isBroken || permission.isAllowed ? undefined : permission.message),
};

const scalingIsComplete: Gate = {
  name: "Scaling",
  check: ({ isBroken }, { observed, targets }) => {
    if (isBroken) return undefined;
    for (const component of stateful) {
      const { set, members } = observed[component];
      if (set === undefined) continue;
      if (set.replicas !== targets[component])
        return `${component} scales from ${set.replicas} to ${targets[component]}`;
      const surplus = members.find(({ ordinal }) => ordinal >= set.replicas);
      if (surplus !== undefined) return `${surplus.podName} is being removed`;
    }
    return undefined;
  },
};

const statefulSetsAreObserved: Gate = {
  name: "Observed",
  check: ({ component, isBroken }, { observed }) => {
    // While one StatefulSet is recreated to grow its volumes, the other one is not rolled either.
    const checked = isBroken ? [component] : stateful;
    const unknown = checked.find((one) => !isObserved(observed[one].set));
    return unknown === undefined ? undefined : `the StatefulSet of ${unknown} is not observed yet`;
  },
};

const controllersAreUpToDate: Gate = {
  name: "TierOrder",
  check: ({ isBroken }, { observed, quorum, now }) => {
    if (isBroken) return undefined;
    const outdated = outdatedMembers("controller", observed.controller, { claims: observed.claims, now });
    if (outdated.length > 0) return `${outdated.length} controllers are outdated`;
    return isQuorumHealthy(quorum) ? undefined : "the controllers have no healthy quorum";
  },
};

const noControllerTerminates: Gate = {
  name: "Terminating",
  check: ({ isBroken }, { observed }) => {
    const tiers: readonly ObservedTier[] = isBroken ? [observed.controller] : [observed.controller, observed.ingest];
    return describeTerminating(tiers);
  },
};

const fewIngestNodesTerminate: Gate = {
  name: "Terminating",
  check: ({ isBroken }, { observed, policy }) => {
    if (terminating(observed.ingest).length >= policy.maxUnavailable) return describeTerminating([observed.ingest]);
    return isBroken ? undefined : describeTerminating([observed.controller]);
  },
};

const newControllersAreReady: Gate = {
  name: "NewPodNotReady",
  check: ({ member, isBroken }, input) => {
    if (isBroken) return respondsAndWaits(member, input);
    return newPodsNotReady(input.observed.controller, input)[0]?.reason;
  },
};

// A controller that responds but is not ready may only wait for a quorum, and replacing it would delay the quorum further. It waits for new controllers
// that are starting. The wait is bounded, because the new template may be what the quorum needs.
function respondsAndWaits(
  { component }: ObservedMember,
  { observed, policy, now }: RolloutInput,
): { message: string; opensAt: number } | undefined {
  if (!mayVote(component.quorum)) return undefined;
  const { set, members } = observed.controller;
  for (const one of members) {
    const { revision, unreadySince, podName } = one;
    if (revision !== set?.updateRevision || unreadySince === undefined || isAvailable(one, { ...policy, now }))
      continue;
    const opensAt = unreadySince + stuckAfterMs;
    if (opensAt > now) return { message: `${podName} is starting`, opensAt };
  }
  return undefined;
}

// One disruption at a time, across the tiers: a pod of the other tier that has just been restarted must be ready again. The creation of the pod
// counts, and not only the restart that the status records: the operator may have crashed before it wrote the status. The wait is bounded, because
// an ingest node may need the new controllers to become ready, and because ingest nodes do not wait for a controller on a lost node.
function otherTierIsReady(other: StatefulComponent): Gate {
  return {
    name: "NewPodNotReady",
    check: ({ isBroken }, { observed, policy, now }) => {
      if (isBroken) return undefined;
      const { members } = observed[other];
      const isRecent = (at: number): boolean => now - at <= policy.progressDeadlineSeconds * 1_000;
      // Of any revision: the spec may have changed again while the pod was starting.
      const starting = members.find((member) => isRecent(member.createdAt) && !isAvailable(member, { ...policy, now }));
      if (starting !== undefined) return describeUnavailable(starting, policy);
      const { lastRestart } = observed.previous;
      if (lastRestart?.component !== other || !isRecent(lastRestart.at)) return undefined;
      const member = members.find(({ podName }) => podName === lastRestart.podName);
      if (member !== undefined)
        return isAvailable(member, { ...policy, now }) ? undefined : describeUnavailable(member, policy);
      return missingOrdinals(observed[other]).length === 0 ? undefined : `${lastRestart.podName} is not ready`;
    },
  };
}

const newIngestNodesAreReady: Gate = {
  name: "NewPodNotReady",
  check: ({ isBroken }, input) => {
    if (isBroken) return undefined;
    const found = newPodsNotReady(input.observed.ingest, input);
    const all = found.map(({ name }) => name).join(", ");
    return found.length >= input.policy.maxUnavailable ? `${all} not ready` : undefined;
  },
};

const canaryHasPassed: Gate = {
  name: "Canary",
  check: ({ component, isBroken }, input) => {
    if (isBroken) return undefined;
    const state = canaryOf(component, input);
    if (state.type === "failed") return state.message;
    if (state.type !== "baking") return undefined;
    const { until } = state;
    if (until === undefined) return "the canary pods are not ready";
    return { message: `the canary pods are observed until ${new Date(until).toISOString()}`, opensAt: until };
  },
};

const restartDelayHasPassed: Gate = {
  name: "Delay",
  check: ({ isBroken }, { observed, policy, now }) => {
    const { lastRestart } = observed.previous;
    if (isBroken || lastRestart === undefined) return undefined;
    const opensAt = lastRestart.at + policy.restartDelaySeconds * 1_000;
    return opensAt <= now
      ? undefined
      : { message: `restartDelaySeconds have not passed since the restart of ${lastRestart.podName}`, opensAt };
  },
};

// While no leader is known, a controller may vote in the next election although it is not ready yet. Elections take seconds, so
// it is kept for a minute. After that, the new template may be what the quorum needs.
// A call that failed proves nothing: the process may vote and be slow.
function mayVote(quorum: ObservedMember["component"]["quorum"]): boolean {
  return quorum !== undefined && quorum.type !== "notOffered";
}

const quorumSurvives: Gate = {
  name: "Quorum",
  check: ({ member, isBroken }, { quorum, now }) => {
    const { ordinal, unreadySince = now, component } = member;
    const verdict = isBroken ? mayLoseUnready(quorum, ordinal) : mayLose(quorum, ordinal);
    if (!verdict.isAllowed) return verdict.message;
    const opensAt = unreadySince + stuckAfterMs;
    if (!isBroken || quorum.source !== "unknown" || !mayVote(component.quorum) || opensAt <= now) return undefined;
    return { message: `${quorum.reason}, and ${member.podName} may be needed`, opensAt };
  },
};

const enoughIngestNodesAreAvailable: Gate = {
  name: "Availability",
  check: ({ member, isBroken }, { observed, policy, now }) => {
    if (isBroken) return undefined;
    const { ingest } = observed;
    const down = ingest.members.filter((one) => one.uid !== member.uid && !isAvailable(one, { ...policy, now }));
    const unavailable = down.length + missingOrdinals(ingest).length;
    if (unavailable + 1 <= policy.maxUnavailable) return undefined;
    return `${unavailable} ingest nodes are unavailable; maxUnavailable is ${policy.maxUnavailable}`;
  },
};

// The check of the component must not lock users out: an ingest node that reports "not safe" for ever would block the change that repairs it.
// The annotation skips the check for one pod by name, so it has no effect on the next pod.
const componentAllowsRestart: Gate = {
  name: "ComponentCheck",
  check: ({ member, isBroken }, { observed }) => {
    if (isBroken || observed.requests.skipComponentCheck === member.podName) return undefined;
    const own = member.component.restartCheck;
    if (own?.type === "notOffered") return undefined;
    if (own === undefined) return `the restart check of ${member.podName} was not called`;
    if (own.type !== "response") return `${member.podName} ${describeFailure(own) ?? ""}`;
    if (!own.value.safe) return `${member.podName} must not restart now: ${own.value.reason}`;
    const { lastRestart } = observed.previous;
    const last = observed.ingest.members.find(({ podName }) => podName === lastRestart?.podName);
    const failure =
      last?.component.restartCheck === undefined ? undefined : describeFailure(last.component.restartCheck);
    if (last === undefined || failure === undefined || last.component.restartCheck?.type === "notOffered")
      return undefined;
    return `${last.podName}, which restarted last, ${failure}`;
  },
};

/** Checks that must pass before a controller restarts, in order. The first failing gate is shown in the status. */
export const controllerGates: readonly Gate[] = [
  updatesAreAutomatic,
  maintenanceWindowIsOpen,
  rolloutLimitAllows,
  scalingIsComplete,
  statefulSetsAreObserved,
  noControllerTerminates,
  newControllersAreReady,
  otherTierIsReady("ingest"),
  canaryHasPassed,
  restartDelayHasPassed,
  quorumSurvives,
];

/** Checks that must pass before an ingest node restarts, in order. The first failing gate is shown in the status. */
export const ingestGates: readonly Gate[] = [
  updatesAreAutomatic,
  maintenanceWindowIsOpen,
  rolloutLimitAllows,
  scalingIsComplete,
  statefulSetsAreObserved,
  controllersAreUpToDate,
  fewIngestNodesTerminate,
  newIngestNodesAreReady,
  otherTierIsReady("controller"),
  canaryHasPassed,
  restartDelayHasPassed,
  enoughIngestNodesAreAvailable,
  componentAllowsRestart,
];

/** Names of the gates of restarts by component, in the order in which they are checked. Components without a list restart by their Deployment. */
export const restartGateNames: Readonly<Record<StatefulComponent, readonly GateName[]>> = {
  controller: namesOf(controllerGates),
  ingest: namesOf(ingestGates),
};

function namesOf(gates: readonly Gate[]): readonly GateName[] {
  return [...new Set<GateName>([...gates.map(({ name }) => name), "Budget"])];
}

/** Returns the first closed gate of a candidate; undefined if it may restart. */
export function firstClosedGate(candidate: Candidate, input: RolloutInput): ClosedGate | undefined {
  const gates = candidate.component === "controller" ? controllerGates : ingestGates;
  for (const { name, check } of gates) {
    const closed = check(candidate, input);
    if (closed === undefined) continue;
    return typeof closed === "string" ? { gate: name, message: closed } : { gate: name, ...closed };
  }
  return undefined;
}

/** Returns the state of the canary of a tier. */
export function canaryOf(component: StatefulComponent, { observed, policy, now }: RolloutInput): CanaryState {
  const { minReadySeconds, progressDeadlineSeconds, canary } = policy;
  const { previous, requests } = observed;
  const approvedRevision = requests.approvedCanary;
  const tier = observed[component];
  return canaryState({
    component,
    tier,
    canary,
    minReadySeconds,
    progressDeadlineSeconds,
    previous,
    approvedRevision,
    now,
  });
}

function terminating({ members }: ObservedTier): readonly ObservedMember[] {
  return members.filter(({ isTerminating }) => isTerminating);
}

function describeTerminating(tiers: readonly ObservedTier[]): string | undefined {
  const found = tiers.flatMap(terminating);
  return found.length === 0 ? undefined : `${found.map(({ podName }) => podName).join(", ")} terminating`;
}

/**
 * Describes why a pod is not available.
 *
 * The status counts a pod as ready at once, and a cluster may be Running while a restart still waits for `minReadySeconds`.
 */
function describeUnavailable(
  { podName, readySince, isTerminating }: ObservedMember,
  { minReadySeconds }: Pick<UpdatePolicy, "minReadySeconds">,
): string {
  const isReady = readySince !== undefined && !isTerminating;
  return isReady ? `${podName} has been ready for less than ${minReadySeconds} s` : `${podName} is not ready`;
}

/** A pod that is not ready, or an ordinal without a pod. */
interface NotReady {
  readonly name: string;
  readonly reason: string;
}

/** Returns the pods of the update revision that are not ready, and the ordinals without a pod. */
function newPodsNotReady(tier: ObservedTier, { policy, now }: RolloutInput): readonly NotReady[] {
  const { set, members } = tier;
  const late = members.filter(
    (member) => member.revision === set?.updateRevision && !isAvailable(member, { ...policy, now }),
  );
  return [
    ...late.map((member) => ({ name: member.podName, reason: describeUnavailable(member, policy) })),
    ...missingOrdinals(tier).map((ordinal) => ({
      name: `ordinal ${ordinal}`,
      reason: `ordinal ${ordinal} is not ready`,
    })),
  ];
}
