import type { DeepReadonly } from "@homeostat/core";
import type { ContainerStatus, Pod } from "@homeostat/kubernetes/core/v1";
import { enriched } from "./enrich.ts";
import type { TestPod } from "../observe/pods.ts";
import type { PodProblem, ProblemType } from "./pod-problem.ts";

/** What a pod is judged with. */
export interface JudgeOptions {
  /** The name of the master's Locust container: what it exits with is the outcome of the test, not a failure of the pod. */
  readonly masterContainer: string;
  /** The ConfigMap that the test needs, for texts that name none. */
  readonly expectedConfigMap: string | undefined;
  /** What the newest event of the pod says about a volume that cannot be mounted. */
  readonly mountProblemOf: (pod: DeepReadonly<Pod>) => string | undefined;
}

/** What is wrong with a pod; undefined for nothing. The first that is found counts. */
export function judgePod({ role, pod }: TestPod, options: JudgeOptions): PodProblem | undefined {
  const found = scheduling(pod) ?? ofContainers({ role, pod }, options) ?? mounting(pod, options);
  if (found === undefined) return undefined;
  const text = found.type === "ConfigurationError" ? enriched(found.text, options.expectedConfigMap) : found.text;
  return { pod: pod.metadata.name ?? "", role, type: found.type, text };
}

interface Finding {
  readonly type: ProblemType;
  readonly text: string;
}

function scheduling({ status }: DeepReadonly<Pod>): Finding | undefined {
  const found = status?.conditions?.find((one) => one.type === "PodScheduled" && one.status === "False");
  return found === undefined ? undefined : { type: "SchedulingError", text: found.message ?? found.reason ?? "" };
}

function ofContainers({ role, pod }: TestPod, { masterContainer }: JudgeOptions): Finding | undefined {
  const sidecars = new Set(
    pod.spec?.initContainers?.flatMap(({ name, restartPolicy }) => (restartPolicy === "Always" ? [name] : [])),
  );
  for (const container of pod.status?.initContainerStatuses ?? []) {
    // A native sidecar ends with a code of its own when it is told to; that says nothing.
    const ended: ProblemType | undefined = sidecars.has(container.name) ? undefined : "InitializationError";
    const found = waiting(container) ?? terminated(container, ended);
    if (found !== undefined) return found;
  }
  for (const container of pod.status?.containerStatuses ?? []) {
    const isOutcome = role === "master" && container.name === masterContainer;
    const found = waiting(container) ?? terminated(container, isOutcome ? undefined : "CrashLoopBackOff");
    if (found !== undefined) return found;
  }
  return undefined;
}

function waiting({ name, state }: DeepReadonly<ContainerStatus>): Finding | undefined {
  const { reason = "", message } = state?.waiting ?? {};
  const type = waitingType(reason);
  return type === undefined ? undefined : { type, text: message ?? `Container ${name} is waiting: ${reason}` };
}

function waitingType(reason: string): ProblemType | undefined {
  if (reason === "CreateContainerConfigError") return "ConfigurationError";
  if (reason.includes("ImagePull") || reason === "InvalidImageName" || reason === "ErrImageNeverPull") {
    return "ImagePullError";
  }
  return reason === "CrashLoopBackOff" ? "CrashLoopBackOff" : undefined;
}

function terminated(
  { name, state }: DeepReadonly<ContainerStatus>,
  type: ProblemType | undefined,
): Finding | undefined {
  const { exitCode = 0, reason = "" } = state?.terminated ?? {};
  if (type === undefined || exitCode === 0) return undefined;
  return { type, text: `Container ${name} exited with code ${exitCode}: ${reason}` };
}

/** A ConfigMap or Secret that is mounted and missing shows in no container: the pod hangs, and only events tell. */
function mounting(pod: DeepReadonly<Pod>, { mountProblemOf }: JudgeOptions): Finding | undefined {
  const text = isHanging(pod) ? mountProblemOf(pod) : undefined;
  return text === undefined ? undefined : { type: "ConfigurationError", text };
}

/** Whether a pod is on a node and none of its containers gets anywhere. */
export function isHanging({ status }: DeepReadonly<Pod>): boolean {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  return [...initContainerStatuses, ...containerStatuses].some(({ state }) => {
    const reason = state?.waiting?.reason;
    return reason === "ContainerCreating" || reason === "PodInitializing";
  });
}
