import { findCondition, formatTime } from "@homeostat/core";
import type { PodCondition, PodPhase } from "@homeostat/kubernetes/core/v1";
import type { ContainerRecord } from "./container-state.ts";
import type { PodView } from "./pod-view.ts";

/** Input of the conditions of a pod. */
export interface ConditionParts {
  readonly pod: PodView;
  readonly inits: readonly ContainerRecord[];
  readonly apps: readonly ContainerRecord[];
  /** Phase computed from the containers. The phase in the status can lag behind it. */
  readonly phase: PodPhase;
  readonly hasSandbox: boolean;
  /** Conditions in the last status. */
  readonly before: readonly PodCondition[];
  readonly now: number;
}

interface ConditionState {
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

/** Returns the conditions that the kubelet writes, in its order. */
export function conditionsOf(parts: ConditionParts): PodCondition[] {
  const containers = containersReady(parts);
  const states: readonly (readonly [type: string, state: ConditionState])[] = [
    ["PodReadyToStartContainers", { status: parts.hasSandbox ? "True" : "False" }],
    ["Initialized", initialized(parts)],
    ["Ready", ready(parts, containers)],
    ["ContainersReady", containers],
    ["PodScheduled", { status: "True" }],
  ];
  return states.map(([type, state]) => condition(type, state, parts));
}

function condition(
  type: string,
  { status, reason, message }: ConditionState,
  { before, pod, now }: ConditionParts,
): PodCondition {
  const old = findCondition(before, type);
  const { generation } = pod.metadata;
  return {
    type,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    lastTransitionTime:
      old?.status === status && old.lastTransitionTime !== undefined ? old.lastTransitionTime : formatTime(now),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

function initialized({ inits, apps, phase }: ConditionParts): ConditionState {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  const hasRun = apps.some(
    ({ view, lastView }) =>
      view.running !== undefined || view.terminated?.containerID !== undefined || lastView.terminated !== undefined,
  );
  const incomplete = inits.filter((init) =>
    init.role === "sidecar" ? !init.isStarted : init.view.terminated?.exitCode !== 0,
  );
  if (incomplete.length === 0 || hasRun) return { status: "True" };
  const message = `containers with incomplete status: [${namesOf(incomplete)}]`;
  return { status: "False", reason: "ContainersNotInitialized", message };
}

function containersReady({ inits, apps, phase }: ConditionParts): ConditionState {
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  const unready = [...inits.filter(({ role }) => role === "sidecar"), ...apps].filter(({ isReady }) => !isReady);
  if (unready.length === 0) return { status: "True" };
  return {
    status: "False",
    reason: "ContainersNotReady",
    message: `containers with unready status: [${namesOf(unready)}]`,
  };
}

function ready({ pod }: ConditionParts, containers: ConditionState): ConditionState {
  if (containers.status === "False") return containers;
  const problems = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = findCondition(pod.status?.conditions, conditionType);
    if (found?.status === "True") return [];
    if (found === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`];
  });
  if (problems.length === 0) return { status: "True" };
  return { status: "False", reason: "ReadinessGatesNotReady", message: problems.join(", ") };
}

function namesOf(containers: readonly ContainerRecord[]): string {
  return containers.map(({ spec }) => spec.name).join(" ");
}
