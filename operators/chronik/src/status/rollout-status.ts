// Fields of the status about restarts and removals of members. Later reconciles read some of them again.

import { formatTime } from "@homeostat/core";
import type { ClusterStatus } from "../api/chronik-cluster.ts";
import { type Component, statefulComponents } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { ClosedGate } from "../decide/gates.ts";
import type { PhaseDecision } from "../decide/phase.ts";
import type { Progress } from "./progress.ts";
import { cut, type StatusInput } from "./status-input.ts";

/** Returns the state of the rollout. The last restart is kept, because the delay between two restarts is measured from it. */
export function rolloutOf({
  decision,
  restart,
  refusedByBudget,
  previous,
  progress,
  now,
  search,
}: StatusInput): ClusterStatus["rollout"] {
  const { rollout } = previous;
  const time = formatTime(now);
  const last =
    restart === undefined
      ? {
          ...(rollout?.component !== undefined && { component: rollout.component }),
          ...(rollout?.pod !== undefined && { pod: rollout.pod }),
          ...(rollout?.reasons !== undefined && { reasons: [...rollout.reasons] }),
          ...(rollout?.lastRestartTime !== undefined && { lastRestartTime: rollout.lastRestartTime }),
        }
      : { component: restart.component, pod: restart.podName, reasons: [...restart.reasons], lastRestartTime: time };
  const states = decision.rollouts.map(({ component, outdated, closed }) => {
    const isRefused = refusedByBudget?.restart.component === component;
    const gate: ClosedGate | undefined = isRefused ? { gate: "Budget", message: refusedByBudget.message } : closed;
    return { component, outdated, gate };
  });
  const all: readonly { component: Component; outdated: number; gate: ClosedGate | undefined }[] = [
    ...states,
    ...(search.closed === undefined ? [] : [{ component: "search" as const, outdated: 1, gate: search.closed }]),
  ];
  const isOutdated = all.some(({ outdated }) => outdated > 0);
  // While the first pods are created, the revision of their StatefulSet is not known yet, which is not a rollout.
  const isStarted = isOutdated && (previous.initialized === true || restart !== undefined);
  const isEnding = rollout?.startedAt !== undefined && !arePodsUpdated(progress);
  const components = all
    .filter(({ outdated }) => outdated > 0)
    .map(({ component, outdated, gate }) => {
      const before = rollout?.components?.find((one) => one.component === component);
      const isSame = before?.blockedBy === gate?.gate && before?.blockedSince !== undefined;
      return {
        component,
        outdated,
        ...(gate !== undefined && {
          blockedBy: gate.gate,
          message: cut(gate.message),
          blockedSince: isSame ? before.blockedSince : time,
        }),
      };
    });
  const result = {
    ...last,
    ...((isStarted || isEnding) && { startedAt: rollout?.startedAt ?? time }),
    ...(components.length > 0 && { components }),
  };
  return Object.keys(result).length === 0 ? undefined : result;
}

/** Reports whether all pods have the current template and are ready. */
function arePodsUpdated({ controller, ingest, search }: Progress): boolean {
  const all = [controller, ingest, ...(search === undefined ? [] : [search])];
  return all.every(({ replicas, ready, updated }) => ready === replicas && updated === replicas);
}

/** Returns the members that are being removed. Time limits of drains and of the transfer of leadership are measured from their start. */
export function scaleDownOf({
  observed,
  desired,
  decision: { step },
  previous,
  now,
  resolved,
}: StatusInput): ClusterStatus["scaleDown"] {
  const isCancelled = step.type === "ingest" && step.step.type === "cancelDrain";
  const removed = statefulComponents.flatMap((component) => {
    const { set } = observed[component];
    const before = previous.scaleDown?.find((one) => one.component === component);
    if (set === undefined || set.replicas <= desired[component]) {
      // The drain must be known until it is cancelled.
      return isCancelled && component === "ingest" && before !== undefined ? [{ ...before }] : [];
    }
    const pod = names.member(resolved.name, component, set.replicas - 1);
    return [{ component, pod, startedAt: before?.pod === pod ? before.startedAt : formatTime(now) }];
  });
  return removed.length === 0 ? undefined : removed;
}

/** Returns the version of the operator that the pods are up to date with: this one once the cluster runs, or once a user changed the spec. */
export function operatorVersionOf(
  { operatorVersion, previous, generation }: StatusInput,
  { phase }: PhaseDecision,
): string | undefined {
  const isChangedByUser = previous.observedGeneration !== undefined && previous.observedGeneration !== generation;
  return phase === "Running" || isChangedByUser ? operatorVersion : previous.operatorVersion;
}

/** Returns the failed canary until the spec changes, or the one that is observed: a user approves it by its revision. */
export function canaryOf({ decision, previous, resolved, generation }: StatusInput): ClusterStatus["canary"] {
  const { step, rollouts } = decision;
  if (resolved.updateStrategy.canary === undefined) return undefined;
  if (step.type === "rollBackCanary") {
    const { component, revision } = step;
    return { component, revision, failedRevision: revision, failedGeneration: generation };
  }
  if (previous.canary?.failedGeneration === generation) return { ...previous.canary };
  for (const { component, revision, canary } of rollouts) {
    if (canary.type === "rolling") return { component, revision };
    if (canary.type === "baking")
      return { component, revision, ...(canary.since !== undefined && { startedAt: formatTime(canary.since) }) };
  }
  return undefined;
}
