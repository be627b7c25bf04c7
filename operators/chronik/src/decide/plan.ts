// The next step of a cluster, and the plan behind it. A reconcile performs at most one step that disrupts a pod or changes the members, so the order
// here is the order of the whole cluster:
//
//   1. rebuild a member on request      2. repair and scale the controllers      3. scale the ingest nodes
//   4. restart a controller             5. restart an ingest node
//
// Steps of one kind wait for the kinds before them through the gate Scaling. A blocked step is passed over: what is blocked blocks nothing else, unless
// a gate says so.

import type { Component, StatefulComponent } from "../api/identity.ts";
import type { Observed } from "../observe/observed.ts";
import type { CanaryState } from "./canary.ts";
import { canaryOf, type ClosedGate, type GateName, type RolloutInput, type UpdatePolicy } from "./gates.ts";
import { missingOrdinals, outdatedMembers, replicasOf } from "./members.ts";
import {
  nextRestart,
  type NextRestart,
  progressOf,
  type ProgressState,
  type Restart,
  restartOrder,
} from "./next-restart.ts";
import { assessQuorum, type QuorumState } from "./quorum.ts";
import { decideRebuild, type RebuildStep } from "./rebuild.ts";
import type { RolloutPermission } from "./rollout-limit.ts";
import { type ControllersStep, decideControllers } from "./scale-controllers.ts";
import { decideIngest, effectiveIngestTarget, type IngestInput, type IngestStep } from "./scale-ingest.ts";

/** The parts of a spec that decisions about members use. */
export interface MemberPolicy {
  readonly updateStrategy: UpdatePolicy;
  readonly scaleDown: Pick<IngestInput, "drain" | "timeoutSeconds">;
  readonly membership: "Dynamic" | "Static";
}

/** Input of {@link decideStep}. */
export interface StepInput {
  readonly observed: Pick<Observed, StatefulComponent | "claims" | "previous" | "requests">;
  readonly policy: MemberPolicy;
  readonly desired: Readonly<Record<StatefulComponent, number>>;
  readonly permission: RolloutPermission;
  readonly now: number;
}

/** The step that the reconcile performs. */
export type Step =
  | { readonly type: "none" }
  | Extract<RebuildStep, { readonly type: "rebuild" }>
  | { readonly type: "controllers"; readonly step: Exclude<ControllersStep, { readonly type: "none" | "wait" }> }
  | { readonly type: "ingest"; readonly step: Exclude<IngestStep, { readonly type: "none" | "wait" | "blocked" }> }
  | { readonly type: "restart"; readonly restart: Restart }
  /** Apply the former pod template again, because the canary of the current one has failed. */
  | {
      readonly type: "rollBackCanary";
      readonly component: StatefulComponent;
      readonly revision: string;
      readonly reason: "PodNotReady" | "PodRestarted";
      readonly message: string;
    };

/** Names of steps in `status.plan`. */
export type StepName =
  | "RebuildMember"
  | "AddVoter"
  | "RemoveVoter"
  | "TransferLeader"
  | "ScaleUp"
  | "ScaleDown"
  | "DrainNode"
  | "CancelDrain"
  | "RollBackCanary"
  | "RestartPod";

/** An entry of `status.plan`. */
export interface PlanEntry {
  readonly step: StepName;
  readonly component: Component;
  readonly target: string;
  /** Empty if the step is performed now. */
  readonly waitsFor: string;
}

/** State of the rollout of a component, for `status.rollout.components`. */
export interface ComponentRollout {
  readonly component: StatefulComponent;
  readonly outdated: number;
  readonly closed: ClosedGate | undefined;
  readonly progress: ProgressState;
  /** Revision that outdated pods restart with; empty without a StatefulSet. */
  readonly revision: string;
  readonly canary: CanaryState;
}

/** The decision of one reconcile about the members. */
export interface StepDecision {
  readonly step: Step;
  readonly plan: readonly PlanEntry[];
  readonly rollouts: readonly ComponentRollout[];
  readonly quorum: QuorumState;
  /**
   * The quorum as the status shows it. Like the other counts of the status it counts ready controllers at once; `quorum` counts them after
   * `minReadySeconds`, because a restart must not rely on a controller that has just become ready.
   */
  readonly shownQuorum: QuorumState;
  /** The blocked scale-down of ingest nodes; undefined if none is blocked. */
  readonly scaleDownBlock: Extract<IngestStep, { readonly type: "blocked" }> | undefined;
  /** A requested rebuild that is not safe now. */
  readonly refusedRebuild: Extract<RebuildStep, { readonly type: "refused" }> | undefined;
  /** The earliest time at which a closed gate opens by itself. */
  readonly reconsiderAt: number | undefined;
}

/** Most entries of `status.plan`. */
export const planLengthMax = 20;

/** A step that is considered, in the order of the plan. */
interface Considered {
  readonly entry: PlanEntry;
  /** Undefined if the step waits. */
  readonly step: Step | undefined;
}

/** Decides the step of a reconcile, and the plan. */
export function decideStep(input: StepInput): StepDecision {
  const { observed, policy, desired, permission, now } = input;
  const { controller, ingest, previous, requests, claims } = observed;
  const { minReadySeconds, quorumCheck } = policy.updateStrategy;
  const readiness = { minReadySeconds, now };
  const assess = (check: typeof quorumCheck, seconds = minReadySeconds): QuorumState =>
    assessQuorum({
      members: controller.members,
      replicas: replicasOf(controller),
      quorumCheck: check,
      minReadySeconds: seconds,
      now,
    });
  const quorum = assess(quorumCheck);
  const rebuilds = (["controller", "ingest"] as const).map((component) =>
    decideRebuild({ component, tier: observed[component], claims, quorum, ...readiness }),
  );
  const controllers = decideControllers({
    tier: controller,
    desired: desired.controller,
    membership: policy.membership,
    quorum: assess("Auto"),
    previous,
    ...readiness,
  });
  const isSkipped = requests.skipScaleDownCheck;
  const scaling = decideIngest({
    tier: ingest,
    desired: desired.ingest,
    ...policy.scaleDown,
    isSkipped,
    previous,
    now,
  });
  const targets = {
    controller: desired.controller,
    ingest: effectiveIngestTarget(scaling, { tier: ingest, desired: desired.ingest }),
  };
  const rollout: RolloutInput = { observed, policy: policy.updateStrategy, quorum, targets, permission, now };
  const busy = busyWith(input);
  const isRemoval = controllers.type === "setReplicas" && controllers.to < controllers.from;
  const restarts = (["controller", "ingest"] as const).map((component) => ({
    component,
    next: nextRestart(component, rollout),
  }));
  const considered = [
    ...rebuilds.flatMap((rebuild) => considerRebuild(rebuild, busy)),
    ...considerControllers(controllers, {
      replicas: controller.set?.replicas ?? 0,
      desired: desired.controller,
      busy: busy ?? (isRemoval ? startingIngestNode(input) : undefined),
    }),
    ...considerIngest(scaling, { replicas: ingest.set?.replicas ?? 0, desired: desired.ingest, busy }),
    ...considerCanaries(rollout),
    ...restarts.flatMap(({ component, next }) => considerRestarts(component, next, rollout)),
  ];
  const chosen = considered.find(({ step }) => step !== undefined);
  return {
    step: chosen?.step ?? { type: "none" },
    plan: planOf(considered, chosen),
    rollouts: restarts.map(({ component, next }) => ({
      component,
      outdated: outdatedMembers(component, observed[component], { claims, now }).length,
      closed: next.type === "blocked" ? next.closed : undefined,
      progress: progressOf(component, rollout),
      revision: observed[component].set?.updateRevision ?? "",
      canary: canaryOf(component, rollout),
    })),
    quorum,
    shownQuorum: assess(quorumCheck, 0),
    scaleDownBlock: scaling.type === "blocked" ? scaling : undefined,
    refusedRebuild: rebuilds.find((one) => one.type === "refused"),
    reconsiderAt: earliest(restarts.map(({ next }) => (next.type === "blocked" ? next.closed.opensAt : undefined))),
  };
}

/**
 * Returns the plan. The step that is performed comes first; if no step is performed, the first one with its reason to wait. Other steps that could
 * be performed wait for it, because a reconcile performs one step.
 */
function planOf(considered: readonly Considered[], chosen: Considered | undefined): readonly PlanEntry[] {
  const rest = considered.filter((one) => one !== chosen);
  const waiting = rest.map(({ entry, step }) =>
    step === undefined || chosen === undefined
      ? entry
      : { ...entry, waitsFor: `${chosen.entry.step} ${chosen.entry.target}` },
  );
  return [...(chosen === undefined ? [] : [chosen.entry]), ...waiting].slice(0, planLengthMax);
}

/** Returns the pod that keeps members from changing: one that terminates, or one that the operator has restarted and that is not ready yet. */
function busyWith({ observed, policy, now }: StepInput): string | undefined {
  const { controller, ingest, previous } = observed;
  const terminating = [...controller.members, ...ingest.members].find(({ isTerminating }) => isTerminating);
  if (terminating !== undefined) return `${terminating.podName} is terminating`;
  const { lastRestart } = previous;
  // Bounded: a pod that never becomes ready must not block scaling for ever.
  if (lastRestart === undefined || now - lastRestart.at > policy.updateStrategy.progressDeadlineSeconds * 1_000)
    return undefined;
  const tier = observed[lastRestart.component];
  const restarted = tier.members.find(({ podName }) => podName === lastRestart.podName);
  const isBack = restarted === undefined ? missingOrdinals(tier).length === 0 : restarted.readySince !== undefined;
  return isBack ? undefined : `${lastRestart.podName} has restarted and is not ready`;
}

/**
 * Returns an ingest node that has just been created and is not ready, as a reason not to remove a controller: one disruption at a time.
 *
 * The last restart in the status is not enough. A later restart of another member replaces it, and the operator may have crashed before it wrote the
 * status. The wait is bounded like that for the last restart.
 */
function startingIngestNode({ observed, policy, now }: StepInput): string | undefined {
  const deadlineMs = policy.updateStrategy.progressDeadlineSeconds * 1_000;
  const starting = observed.ingest.members.find(
    ({ readySince, createdAt }) => readySince === undefined && now - createdAt <= deadlineMs,
  );
  return starting === undefined ? undefined : `${starting.podName} is not ready`;
}

function considerRebuild(rebuild: RebuildStep, busy: string | undefined): readonly Considered[] {
  if (rebuild.type === "none") return [];
  const { component, podName: target } = rebuild;
  const entry = (waitsFor: string): PlanEntry => ({ step: "RebuildMember", component, target, waitsFor });
  if (rebuild.type === "refused") return [{ entry: entry(rebuild.message), step: undefined }];
  return [{ entry: entry(busy ?? ""), step: busy === undefined ? rebuild : undefined }];
}

interface ScaleContext {
  readonly replicas: number;
  readonly desired: number;
  readonly busy: string | undefined;
}

function considerControllers(step: ControllersStep, { replicas, desired, busy }: ScaleContext): readonly Considered[] {
  if (step.type === "none") return [];
  const component = "controller";
  if (step.type === "wait") {
    const scale = { step: desired > replicas ? "ScaleUp" : "ScaleDown", target: `${replicas} to ${desired}` } as const;
    const what = step.isScaling ? scale : ({ step: "RemoveVoter", target: "controllers" } as const);
    return [{ entry: { ...what, component, waitsFor: step.reason }, step: undefined }];
  }
  const entry = { component, waitsFor: busy ?? "", ...describeControllers(step) } as const;
  return [{ entry, step: busy === undefined ? { type: "controllers", step } : undefined }];
}

function describeControllers(
  step: Exclude<ControllersStep, { readonly type: "none" | "wait" }>,
): Pick<PlanEntry, "step" | "target"> {
  switch (step.type) {
    case "addVoter":
      return { step: "AddVoter", target: step.member };
    case "removeVoter":
      return { step: "RemoveVoter", target: `voter ${step.voter.id}` };
    case "transferLeader":
      return { step: "TransferLeader", target: step.leader };
    case "setReplicas":
      return { step: step.to > step.from ? "ScaleUp" : "ScaleDown", target: `${step.from} to ${step.to}` };
  }
}

function considerIngest(step: IngestStep, { replicas, desired, busy }: ScaleContext): readonly Considered[] {
  if (step.type === "none") return [];
  const component = "ingest";
  const target = `${replicas} to ${desired}`;
  switch (step.type) {
    case "wait":
      return [{ entry: { step: "ScaleDown", component, target, waitsFor: step.reason }, step: undefined }];
    case "blocked":
      return [{ entry: { step: "ScaleDown", component, target, waitsFor: step.message }, step: undefined }];
    case "startDrain":
    case "cancelDrain": {
      // Moving data disrupts nothing, so it does not wait for other pods.
      const name = step.type === "startDrain" ? "DrainNode" : "CancelDrain";
      const entry: PlanEntry = { step: name, component, target: step.podName, waitsFor: "" };
      return [{ entry, step: { type: "ingest", step } }];
    }
    case "setReplicas": {
      const name = step.to > step.from ? "ScaleUp" : "ScaleDown";
      const entry: PlanEntry = { step: name, component, target: `${step.from} to ${step.to}`, waitsFor: busy ?? "" };
      return [{ entry, step: busy === undefined ? { type: "ingest", step } : undefined }];
    }
  }
}

function considerCanaries(rollout: RolloutInput): readonly Considered[] {
  return (["controller", "ingest"] as const).flatMap((component) => {
    const state = canaryOf(component, rollout);
    const { observed } = rollout;
    const { set } = observed[component];
    const recorded = observed.previous.canary;
    if (state.type !== "failed" || set === undefined) return [];
    // A recorded failure was rolled back already, or the rollback is in progress.
    if (recorded?.component === component && recorded.failedRevision === set.updateRevision) return [];
    const { reason, message } = state;
    const revision = set.updateRevision;
    const entry: PlanEntry = { step: "RollBackCanary", component, target: revision, waitsFor: "" };
    return [{ entry, step: { type: "rollBackCanary", component, revision, reason, message } }];
  });
}

function considerRestarts(
  component: StatefulComponent,
  next: NextRestart,
  rollout: RolloutInput,
): readonly Considered[] {
  if (next.type === "none") return [];
  const order = restartOrder(component, rollout);
  return order.map(({ member }, index): Considered => {
    const target = member.podName;
    const previous = order[index - 1]?.member.podName;
    if (previous !== undefined)
      return { entry: { step: "RestartPod", component, target, waitsFor: previous }, step: undefined };
    if (next.type === "blocked") {
      const waitsFor = describeGate(next.closed);
      return { entry: { step: "RestartPod", component, target, waitsFor }, step: undefined };
    }
    return {
      entry: { step: "RestartPod", component, target, waitsFor: "" },
      step: { type: "restart", restart: next.restart },
    };
  });
}

/** Describes a closed gate for `waitsFor`: `Quorum: 1 of 3 voters would be left`. */
export function describeGate({ gate, message }: { readonly gate: GateName; readonly message: string }): string {
  return `${gate}: ${message}`;
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
