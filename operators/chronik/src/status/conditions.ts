// The conditions of a cluster whose reconcile did not fail.

import type { ConditionValue } from "homeostat";
import { findCondition } from "@homeostat/core";
import type { Reason } from "../api/status.ts";
import { isStuck } from "../decide/members.ts";
import type { PhaseDecision } from "../decide/phase.ts";
import { isQuorumHealthy } from "../decide/quorum.ts";
import { canaryOf } from "./rollout-status.ts";
import { type Conditions, cut, type StatusInput } from "./status-input.ts";
import { describeStuck, type StuckPod } from "./stuck-pods.ts";

/** Derives the conditions. */
export function conditionsOf(input: StatusInput, phase: PhaseDecision): Conditions {
  const { progress, decision, missing, warnings, volumes, certificate, resolved } = input;
  const { controller, ingest, search } = progress;
  const { controller: controllers, ingest: ingestNodes, search: searchNodes } = input.observed;
  const shown = ({ ready, desired }: { ready: number; desired: number }, what: string): string =>
    `${ready}/${desired} ${what} ready`;
  const explained = (count: { ready: number; desired: number }, what: string, pods: readonly StuckPod[]): string => {
    const why = describeStuck(pods);
    return cut(why === "" ? shown(count, what) : `${shown(count, what)}; ${why}`);
  };
  const isComplete = ({ ready, desired }: { ready: number; desired: number }): boolean => ready >= desired;
  const block = decision.scaleDownBlock;
  const failedCanary = failedCanaryOf(input);
  const missingText = cut(missing.join("; "));
  return {
    Ready: readyOf(input, phase),
    ControllersReady: isComplete(controller)
      ? { status: true, reason: "AllControllersReady", message: shown(controller, "controllers") }
      : {
          status: false,
          reason: "ControllersNotReady",
          message: explained(controller, "controllers", controllers.members),
        },
    IngestNodesReady: isComplete(ingest)
      ? { status: true, reason: "AllIngestNodesReady", message: shown(ingest, "ingest nodes") }
      : {
          status: false,
          reason: "IngestNodesNotReady",
          message: explained(ingest, "ingest nodes", ingestNodes.members),
        },
    SearchNodesReady:
      search &&
      (isComplete(search)
        ? { status: true, reason: "AllSearchNodesReady", message: shown(search, "search nodes") }
        : {
            status: false,
            reason: "SearchNodesNotReady",
            message: explained(search, "search nodes", searchNodes.pods),
          }),
    QuorumHealthy: quorumCondition(input),
    Progressing: progressing(input, phase),
    Degraded: degraded(input),
    SpecValid: { status: true, reason: "Valid" },
    SpecWarnings:
      warnings[0] === undefined
        ? { status: false, reason: "None" }
        : { status: true, reason: warnings[0].reason, message: cut(warnings.map(({ message }) => message).join("; ")) },
    PrerequisitesMet:
      missing.length === 0
        ? { status: true, reason: "Found" }
        : { status: false, reason: "PrerequisiteMissing", message: missingText },
    ReconcileSucceeded: { status: true, reason: "Success" },
    VolumesResized: volumes.condition,
    ScaleDownBlocked:
      block === undefined
        ? { status: false, reason: "NotBlocked" }
        : { status: true, reason: block.reason, message: cut(block.message) },
    CanaryFailed:
      resolved.updateStrategy.canary &&
      (failedCanary !== undefined
        ? { status: true, reason: failedCanary.reason, message: cut(failedCanary.message) }
        : { status: false, reason: "NotFailed" }),
    CertificateValid: certificate && {
      status: certificate.decision.status,
      reason: certificate.decision.reason,
      message: certificate.decision.message,
    },
    ReconciliationPaused: undefined,
    DeletionBlocked: undefined,
  };
}

function failedCanaryOf(
  input: StatusInput,
): (ConditionValue<Reason<"CanaryFailed">> & { message: string }) | undefined {
  const { step } = input.decision;
  const failed = canaryOf(input)?.failedRevision;
  if (failed === undefined) return undefined;
  const before = findCondition(input.previous.conditions ?? [], "CanaryFailed");
  const isRestart = step.type === "rollBackCanary" ? step.reason === "PodRestarted" : before?.reason === "PodRestarted";
  const message = `the canary of revision ${failed} failed; change the spec to start another rollout`;
  return { status: true, reason: isRestart ? "PodRestarted" : "PodNotReady", message };
}

function readyOf(input: StatusInput, { phase }: PhaseDecision): ConditionValue<Reason<"Ready">> {
  const { missing, progress, decision, search } = input;
  if (phase === "Running") {
    return { status: true, reason: "AllComponentsReady", message: "All Chronik Stream components are running" };
  }
  if (missing.length > 0) return { status: false, reason: "PrerequisiteMissing", message: cut(missing.join("; ")) };
  const all = [progress.controller, progress.ingest, ...(progress.search ? [progress.search] : [])];
  if (all.some(({ ready, desired, replicas }) => ready < Math.min(desired, Math.max(replicas, 1)))) {
    return { status: false, reason: "ComponentsNotReady", message: summaryOf(input) };
  }
  if (decision.rollouts.some(({ outdated }) => outdated > 0) || search.closed !== undefined) {
    return { status: false, reason: "RolloutInProgress", message: summaryOf(input) };
  }
  const isScaling = all.some(({ replicas, desired }) => replicas !== desired);
  return { status: false, reason: isScaling ? "ScalingInProgress" : "ComponentsNotReady", message: summaryOf(input) };
}

function summaryOf({ progress: { controller, ingest, search }, volumes }: StatusInput): string {
  const parts = [
    `${controller.ready}/${controller.desired} controllers`,
    `${ingest.ready}/${ingest.desired} ingest nodes`,
    ...(search === undefined ? [] : [`${search.ready}/${search.desired} search nodes`]),
  ];
  const isGrowing = volumes.isRecreating || volumes.condition.reason === "Resizing";
  return `${parts.join(", ")} ready${isGrowing ? "; the volumes are growing" : ""}`;
}

function quorumCondition({
  decision: { shownQuorum: quorum },
  observed,
}: StatusInput): ConditionValue<Reason<"QuorumHealthy">> {
  if (
    !observed.controller.members.some(({ readySince }) => readySince !== undefined) &&
    !observed.previous.bootstrapped
  )
    return { status: "Unknown", reason: "NotStarted", message: "no controller is ready yet" };
  if (quorum.source === "unknown") return { status: false, reason: "NoLeader", message: cut(quorum.reason) };
  const message = `${quorum.live.size} of ${quorum.size} voters are ready`;
  return isQuorumHealthy(quorum)
    ? { status: true, reason: "MajorityReady", message }
    : { status: false, reason: "QuorumLost", message };
}

function latePods({ decision }: StatusInput): readonly string[] {
  return decision.rollouts.flatMap(({ progress }) => progress.latePods);
}

function progressing(input: StatusInput, { phase }: PhaseDecision): ConditionValue<Reason<"Progressing">> {
  const { decision, volumes, search, progress } = input;
  const late = latePods(input);
  if (late.length > 0)
    return {
      status: false,
      reason: "ProgressDeadlineExceeded",
      message: `${late.join(", ")} did not become ready in time`,
    };
  if (phase === "Running") return { status: false, reason: "Complete" };
  if (phase === "Creating" || phase === "Pending")
    return { status: true, reason: "Creating", message: summaryOf(input) };
  if (volumes.isRecreating) return { status: true, reason: "RecreatingStatefulSet" };
  if (volumes.condition.reason === "Resizing") return { status: true, reason: "ResizingVolumes" };
  const blocked = decision.rollouts.find(
    ({ outdated, closed }) => outdated > 0 && closed !== undefined && lasting.has(closed.gate),
  );
  if (blocked?.closed !== undefined)
    return { status: false, reason: "Blocked", message: cut(`${blocked.closed.gate}: ${blocked.closed.message}`) };
  if (decision.rollouts.some(({ outdated }) => outdated > 0) || search.closed !== undefined)
    return { status: true, reason: "RollingUpdate", message: summaryOf(input) };
  const all = [progress.controller, progress.ingest, ...(progress.search ? [progress.search] : [])];
  const isScaling = all.some(({ replicas, desired }) => replicas !== desired);
  return { status: true, reason: isScaling ? "Scaling" : "RollingUpdate", message: summaryOf(input) };
}

/** Gates that wait for a user or for a time, not for the next pod. */
const lasting: ReadonlySet<string> = new Set(["Manual", "Window", "RolloutLimit", "ComponentCheck"]);

function degraded(input: StatusInput): ConditionValue<Reason<"Degraded">> {
  const { observed, progress, now, previous } = input;
  const late = latePods(input);
  if (late.length > 0)
    return {
      status: true,
      reason: "ProgressDeadlineExceeded",
      message: `${late.join(", ")} did not become ready in time`,
    };
  if (observed.previous.bootstrapped && quorumCondition(input).reason === "QuorumLost")
    return { status: true, reason: "QuorumLost", message: "the controllers have no majority" };
  const pods = [...observed.controller.members, ...observed.ingest.members, ...observed.search.pods];
  const stuck = pods.filter((pod) => isStuck(pod, now));
  if (stuck.length > 0) return { status: true, reason: "PodsStuck", message: cut(describeStuck(stuck)) };
  const all = [progress.controller, progress.ingest, ...(progress.search ? [progress.search] : [])];
  const isShort = previous.initialized === true && all.some(({ ready, desired }) => ready < desired);
  return isShort
    ? { status: true, reason: "PodsNotReady", message: summaryOf(input) }
    : { status: false, reason: "AsExpected" };
}
