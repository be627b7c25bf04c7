// Performs the step that was decided about the members. A reconcile performs at most one.

import { ConflictError, TooManyRequestsError } from "@homeostat/core";
import { PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { annotations } from "../api/annotations.ts";
import { fieldManager } from "../api/identity.ts";
import { memberAddress } from "../api/names.ts";
import { describeFailure } from "../component/contract.ts";
import type { Restart } from "../decide/next-restart.ts";
import type { Step } from "../decide/plan.ts";
import { targetOf } from "../observe/component-calls.ts";
import type { Observed, ObservedMember } from "../observe/observed.ts";
import type { ClusterContext } from "./cluster-context.ts";
import { events } from "./events.ts";

/** The result of a performed step. */
export interface Performed {
  /** The restart that was performed. */
  readonly restart?: Restart | undefined;
  /** Restart that the API server refused because of a PodDisruptionBudget. */
  readonly refusedByBudget?: { readonly restart: Restart; readonly message: string } | undefined;
  /** True if the next step may be possible soon. */
  readonly isProgress: boolean;
}

/** Input of {@link performStep}. */
export interface StepInput {
  readonly observed: Observed;
  readonly step: Step;
  readonly apiKey: string | undefined;
}

const nothing: Performed = { isProgress: false };
const progress: Performed = { isProgress: true };

/** Performs a step, unless it changes a replica count: those are part of the desired objects. */
export async function performStep(context: ClusterContext, input: StepInput): Promise<Performed> {
  const { step } = input;
  switch (step.type) {
    case "none":
      return nothing;
    case "restart":
      return restartPod(context, step.restart);
    case "rebuild":
      return rebuild(context, step);
    case "controllers":
      return changeVoters(context, input, step.step);
    case "ingest":
      return drain(context, input, step.step);
    case "rollBackCanary":
      // The status records the failure, and the next reconcile applies the former template.
      context.event(events.canaryFailed(step.message));
      return progress;
  }
}

async function restartPod(context: ClusterContext, restart: Restart): Promise<Performed> {
  const {
    runtime: { client, signal },
    namespace,
    dependencies: { metrics },
  } = context;
  const { podName: name, uid, method, component, reasons } = restart;
  const preconditions = { uid };
  try {
    if (method === "evict") await client.evict({ namespace, name }, { preconditions, signal });
    else await client.delete(Pod, { namespace, name }, { preconditions, signal });
  } catch (error) {
    if (error instanceof TooManyRequestsError)
      return { isProgress: false, refusedByBudget: { restart, message: error.serverMessage } };
    // Another pod of the same name exists by now.
    if (error instanceof ConflictError) return progress;
    throw error;
  }
  context.event(events.restarted(name, reasons.join(", "), `${restart.fromRevision} to ${restart.toRevision}`));
  if (restart.isQuorumRisk) context.event(events.quorumRisk(name));
  for (const reason of reasons) metrics.restarts.inc({ component, reason });
  if (restart.isCheckSkipped) await consumeSkip(context, name);
  return { restart, isProgress: false };
}

/** Removes the annotation that skips the component check: it counts for one restart. */
async function consumeSkip(context: ClusterContext, pod: string): Promise<void> {
  const {
    runtime: { client, signal },
    namespace,
    name,
  } = context;
  const merge = { metadata: { annotations: { [annotations.skipComponentCheck]: null } } };
  await client.patch(ChronikCluster, { namespace, name }, { merge }, { fieldManager, signal });
  context.event(events.checkSkipped(pod));
}

async function rebuild(
  context: ClusterContext,
  { podName: name, uid, claim }: Extract<Step, { readonly type: "rebuild" }>,
): Promise<Performed> {
  const {
    runtime: { client, signal },
    namespace,
  } = context;
  context.event(events.diskRebuild(name));
  try {
    // The claim stays until its pod is gone, and the StatefulSet then creates both again.
    if (claim !== undefined) {
      const preconditions = { uid: claim.uid };
      await client.delete(PersistentVolumeClaim, { namespace, name: claim.name }, { preconditions, signal });
    }
    await client.delete(Pod, { namespace, name }, { preconditions: { uid }, signal });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
  return progress;
}

type ControllersStep = Extract<Step, { readonly type: "controllers" }>["step"];

async function changeVoters(
  context: ClusterContext,
  { observed, apiKey }: StepInput,
  step: ControllersStep,
): Promise<Performed> {
  if (step.type === "setReplicas") return progress;
  const {
    runtime: { signal, log },
    resolved,
    dependencies,
  } = context;
  const { client } = dependencies.calls();
  const leader = find(observed.controller.members, step.leader);
  const target = leader && targetOf(leader, apiKey);
  if (target === undefined) return progress;
  const change = async () => {
    if (step.type === "transferLeader") return client.transferLeader(target, signal);
    if (step.type === "removeVoter") return client.removeMember(target, step.voter, signal);
    const address = memberAddress(resolved, "controller", step.voter.id - 1);
    return client.addMember(target, { ...step.voter, address }, signal);
  };
  const result = await change();
  const failure = describeFailure(result);
  const what =
    step.type === "transferLeader"
      ? `Transferring leadership from ${step.leader}`
      : step.type === "removeVoter"
        ? `Removing voter ${step.voter.id}`
        : `Adding ${step.member} as a voter`;
  if (failure === undefined) context.event(events.memberChanged(what));
  else log.info("Failed to change voters", { pod: step.leader, what, failure });
  return progress;
}

type IngestStep = Extract<Step, { readonly type: "ingest" }>["step"];

async function drain(
  { runtime: { signal, log }, dependencies }: ClusterContext,
  { observed, apiKey }: StepInput,
  step: IngestStep,
): Promise<Performed> {
  if (step.type === "setReplicas") return progress;
  const { client } = dependencies.calls();
  const member = find(observed.ingest.members, step.podName);
  const target = member && targetOf(member, apiKey);
  if (target === undefined) return progress;
  const result =
    step.type === "startDrain" ? await client.startDrain(target, signal) : await client.cancelDrain(target, signal);
  const failure = describeFailure(result);
  if (failure !== undefined) log.info("Failed to start or cancel the drain", { pod: step.podName, failure });
  return progress;
}

function find(members: readonly ObservedMember[], podName: string): ObservedMember | undefined {
  return members.find((member) => member.podName === podName);
}
