// Builders of observed clusters for tests of decisions.

import type { ComponentResult, QuorumView, Voter } from "../component/contract.ts";
import type { StatefulComponent } from "../api/identity.ts";
import type {
  Observed,
  ObservedClaim,
  ObservedMember,
  ObservedStatefulSet,
  ObservedTier,
} from "../observe/observed.ts";
import type { UpdatePolicy } from "../decide/gates.ts";
import type { MemberPolicy, StepInput } from "../decide/plan.ts";

/** The time of all tests. */
export const now = 1_800_000_000_000;

export const updatePolicy: UpdatePolicy = {
  type: "Rolling",
  maxUnavailable: 1,
  restartDelaySeconds: 10,
  minReadySeconds: 10,
  progressDeadlineSeconds: 600,
  quorumCheck: "Auto",
};

export const memberPolicy: MemberPolicy = {
  updateStrategy: updatePolicy,
  scaleDown: { drain: "Auto", timeoutSeconds: 600 },
  membership: "Dynamic",
};

/** Builds a member that has been ready for an hour, with the update revision `new`. */
export function member(
  component: StatefulComponent,
  ordinal: number,
  change: Partial<ObservedMember> = {},
): ObservedMember {
  const isUnready = "readySince" in change && change.readySince === undefined;
  return {
    ordinal,
    podName: `c-${component}-${ordinal}`,
    uid: `uid-${component}-${ordinal}`,
    revision: "new",
    ip: `10.0.0.${ordinal + 1}`,
    readySince: now - 3_600_000,
    unreadySince: isUnready ? now - 30_000 : undefined,
    createdAt: now - 3_700_000,
    isTerminating: false,
    isStarted: true,
    stuck: undefined,
    restarts: 0,
    node: undefined,
    hostIP: undefined,
    configHash: "config",
    secretHash: "secret",
    isRestartRequested: false,
    isRebuildRequested: false,
    component: {},
    ...change,
  };
}

/** Changes that make a member outdated. */
export const outdated: Partial<ObservedMember> = { revision: "old" };
/** Changes that make a member not ready. */
export const unready: Partial<ObservedMember> = { readySince: undefined };

export function statefulSet(change: Partial<ObservedStatefulSet> = {}): ObservedStatefulSet {
  return {
    uid: "set",
    isTerminating: false,
    generation: 2,
    observedGeneration: 2,
    updateRevision: "new",
    replicas: 3,
    templateSize: "1Gi",
    templateHash: "template",
    configHash: "config",
    secretHash: "secret",
    ...change,
  };
}

/** Builds a tier with one member per change, or with `replicas` ready members. */
export function tier(
  component: StatefulComponent,
  changes: readonly (Partial<ObservedMember> | undefined)[] | number,
  set: Partial<ObservedStatefulSet> = {},
): ObservedTier {
  const list = typeof changes === "number" ? Array.from({ length: changes }, () => ({})) : changes;
  return {
    set: statefulSet({ replicas: list.length, ...set }),
    members: list.flatMap((change, ordinal) => (change === undefined ? [] : [member(component, ordinal, change)])),
  };
}

/** Builds the response of a controller to `/quorum`. Voter n has the incarnation `d<n>` unless changed. */
export function quorumView(
  nodeId: number,
  options: Partial<Omit<QuorumView, "voters">> & { readonly voters?: number | readonly Voter[] } = {},
): ComponentResult<QuorumView> {
  const { incarnation = `d${nodeId}`, term = 5, voters = 3 } = options;
  // Undefined means that no leader is known.
  const leaderId = "leaderId" in options ? options.leaderId : 1;
  const list =
    typeof voters === "number"
      ? Array.from({ length: voters }, (_none, index) => ({
          id: index + 1,
          incarnation: `d${index + 1}`,
          caughtUp: true,
        }))
      : voters;
  return { type: "response", value: { nodeId, incarnation, leaderId, term, voters: list } };
}

/** Adds matching `/quorum` responses to the members of a tier that have none. */
export function voting(
  { set, members }: ObservedTier,
  view: Parameters<typeof quorumView>[1] = { voters: members.length },
): ObservedTier {
  return {
    set,
    members: members.map((one) => ({
      ...one,
      component: { quorum: quorumView(one.ordinal + 1, view), ...one.component },
    })),
  };
}

export function claim(
  component: StatefulComponent,
  ordinal: number,
  change: Partial<ObservedClaim> = {},
): ObservedClaim {
  return {
    name: `data-c-${component}-${ordinal}`,
    uid: `claim-${component}-${ordinal}`,
    component,
    ordinal,
    request: "1Gi",
    capacity: "1Gi",
    isResizing: false,
    fileSystemResizeSince: undefined,
    isTerminating: false,
    isMounted: true,
    isRetired: false,
    isRetained: false,
    retainedControllers: undefined,
    ...change,
  };
}

export const previous: Observed["previous"] = {
  phase: "Running",
  bootstrapped: true,
  initialized: true,
  operatorVersion: "1",
  lastRestart: undefined,
  scaleDown: {},
  canary: undefined,
  searchSwitchedAt: undefined,
};

export const requests: Observed["requests"] = {
  skipScaleDownCheck: false,
  skipComponentCheck: undefined,
  approvedCanary: undefined,
};

/** Builds the input of a step of a cluster with three controllers and three ingest nodes that need nothing. */
export function stepInput({
  controller = tier("controller", 3),
  ingest = tier("ingest", 3),
  policy = {},
  ...change
}: {
  readonly controller?: ObservedTier;
  readonly ingest?: ObservedTier;
  readonly policy?: Partial<UpdatePolicy> & Partial<Omit<MemberPolicy, "updateStrategy">>;
  readonly previous?: Partial<Observed["previous"]>;
  readonly requests?: Partial<Observed["requests"]>;
  readonly claims?: readonly ObservedClaim[];
  readonly desired?: Partial<StepInput["desired"]>;
  readonly permission?: StepInput["permission"];
  readonly now?: number;
} = {}): StepInput {
  const { scaleDown = memberPolicy.scaleDown, membership = memberPolicy.membership, ...update } = policy;
  return {
    observed: {
      controller,
      ingest,
      claims: change.claims ?? [],
      previous: { ...previous, ...change.previous },
      requests: { ...requests, ...change.requests },
    },
    policy: { updateStrategy: { ...updatePolicy, ...update }, scaleDown, membership },
    desired: {
      controller: controller.set?.replicas ?? 3,
      ingest: ingest.set?.replicas ?? 3,
      ...change.desired,
    },
    permission: change.permission ?? { isAllowed: true },
    now: change.now ?? now,
  };
}
