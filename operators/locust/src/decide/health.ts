import {
  isPodDisrupted,
  isPodHanging,
  podAgeMs,
  type PodProblem,
  podProblems,
  type PodProblemReason,
} from "@homeostat/runtime";
import type { Reason } from "../api/locust-test.ts";
import type { ObservedPods, TestPod } from "../observe/pods.ts";

export interface Health {
  readonly isHealthy: boolean;
  readonly reason: Reason<"PodsHealthy">;
  readonly message: string;
  readonly failedPods: number;
  readonly isWorkersOnly: boolean;
  /** True if a quota keeps pods from being created. */
  readonly isHeldByQuota: boolean;
  /** True if a pod hangs and no event explains it. */
  readonly isHanging: boolean;
  /** Time until the health may change without a watch event: a grace period ends, or events must be read again. */
  readonly requeueAfterMs: number | undefined;
}

/** The reasons of the condition for each kind of pod problem. Other problems do not fail a test. */
const reasons: Partial<Record<PodProblemReason, Reason<"PodsHealthy">>> = {
  MissingReference: "ConfigurationError",
  InvalidConfiguration: "ConfigurationError",
  Volume: "ConfigurationError",
  ImagePull: "ImagePullError",
  Unschedulable: "SchedulingError",
  CrashLoop: "CrashLoopBackOff",
  ContainerFailed: "CrashLoopBackOff",
  InitFailed: "InitializationError",
};

/** Of several reasons, the first in this order is reported. */
const priorities: readonly Reason<"PodsHealthy">[] = [
  "ConfigurationError",
  "ImagePullError",
  "SchedulingError",
  "CrashLoopBackOff",
  "InitializationError",
];

const namesMax = 50;
/** Interval for reading events about pods that hang or are not created. */
const eventsInMs = 15_000;

/** Decides whether the pods of a test are healthy. The first rule that applies decides. */
export function evaluateHealth(input: ObservedPods): Health {
  const { pods, podlessJobs, podlessJobInMs, now, graceMs } = input;
  const isEvaluated = ({ role, pod }: TestPod): boolean =>
    pod.metadata.deletionTimestamp === undefined &&
    !(input.ignoresDisruptions && role === "worker" && isPodDisrupted(pod));
  const evaluated = pods.filter(isEvaluated);
  const masters = new Set(evaluated.filter(({ role }) => role === "master").map(({ pod }) => pod));
  const problems = podProblems({
    pods: evaluated.map(({ pod }) => pod),
    workloads: podlessJobs,
    events: input.events,
    now,
    startupGraceMs: graceMs,
    isExitExpected: (pod, container) => masters.has(pod) && container === input.masterContainer,
  });
  const refusal = problems.find(({ workload }) => workload !== undefined);
  const failures = failuresIn(problems, input.expectedConfigMap);
  const ages = pods.map(({ pod }) => podAgeMs(pod, now));
  const isHanging = evaluated.some(({ pod }) => podAgeMs(pod, now) >= graceMs && isPodHanging(pod));
  const again = (untilGraceMs?: number): Pick<Health, "requeueAfterMs"> => {
    const hasSilentPods = podlessJobs.length > 0 || (isHanging && failures.length === 0);
    return { requeueAfterMs: earliest(untilGraceMs, podlessJobInMs, hasSilentPods ? eventsInMs : undefined) };
  };

  if (refusal !== undefined && !isQuota(refusal)) {
    const message = `SchedulingError: 0 pod(s) affected []: ${refusal.detail ?? ""}`;
    return { ...healthy, isHealthy: false, reason: "SchedulingError", message, ...again() };
  }
  if (pods.length === 0) return { ...waiting(refusal), ...again() };
  const oldestMs = Math.max(...ages);
  if (oldestMs < graceMs) {
    return { ...healthy, reason: "PodsStarting", message: "Pods are starting up", ...again(graceMs - oldestMs) };
  }
  const youngestMs = Math.min(...ages);
  const next = again(youngestMs < graceMs ? graceMs - youngestMs : undefined);
  if (failures.length > 0) return { ...unhealthy(failures, masters), ...next };
  return refusal === undefined ? { ...healthy, isHanging, ...next } : { ...waiting(refusal), ...next };
}

/** Returns the shortest of several times; undefined when there is none. */
export function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const given = times.filter((time) => time !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

const healthy: Health = {
  isHealthy: true,
  reason: "PodsHealthy",
  message: "All pods are healthy",
  failedPods: 0,
  isWorkersOnly: false,
  isHeldByQuota: false,
  isHanging: false,
  requeueAfterMs: undefined,
};

/** Reports whether a quota refused the pods. The test then waits: the quota may be raised, or other pods may finish. */
function isQuota({ refusal }: PodProblem): boolean {
  return refusal?.reason === "QuotaExceeded" && !refusal.isIncomplete;
}

function waiting(refusal: PodProblem | undefined): Health {
  const message = `Waiting for pods to be created${refusal === undefined ? "" : `: ${refusal.detail ?? ""}`}`;
  return { ...healthy, reason: "PodsStarting", message, isHeldByQuota: refusal !== undefined };
}

interface Failure {
  readonly pod: string;
  readonly reason: Reason<"PodsHealthy">;
  readonly text: string;
}

/** Returns the first problem of each pod that fails the test. */
function failuresIn(problems: readonly PodProblem[], expectedConfigMap: string | undefined): readonly Failure[] {
  const failures = new Map<string, Failure>();
  for (const problem of problems) {
    const { pod, reason: kind } = problem;
    const reason = reasons[kind];
    if (pod === undefined || reason === undefined || failures.has(pod)) continue;
    const text = textOf(problem);
    failures.set(pod, {
      pod,
      reason,
      text: reason === "ConfigurationError" ? withExpected(text, expectedConfigMap) : text,
    });
  }
  return [...failures.values()];
}

function textOf({ reason, container, exitCode, detail, source = "" }: PodProblem): string {
  if (exitCode !== undefined) return `Container ${container} exited with code ${exitCode}: ${source}`;
  return detail ?? (reason === "Unschedulable" ? source : `Container ${container} is waiting: ${source}`);
}

/** Names the ConfigMap of the test, unless the text names another ConfigMap or a Secret. */
function withExpected(text: string, expected: string | undefined): string {
  if (expected === undefined || /secret "[^"]{1,253}"/i.test(text)) return text;
  const named = /configmap "([^"]{1,253})"/i.exec(text)?.[1];
  return named === undefined || named === expected ? `ConfigMap not found (expected: ${expected}). ${text}` : text;
}

function unhealthy(failures: readonly Failure[], masters: ReadonlySet<TestPod["pod"]>): Health {
  const reason = priorities.find((each) => failures.some((failure) => failure.reason === each)) ?? "CrashLoopBackOff";
  const affected = failures.filter((failure) => failure.reason === reason);
  const names = affected.map(({ pod }) => pod).toSorted();
  const listed = names.slice(0, namesMax).join(", ");
  const more = names.length > namesMax ? `, and ${names.length - namesMax} more` : "";
  const hint = reason === "ConfigurationError" ? ". Create the ConfigMap and the pods will restart automatically." : "";
  const masterNames = new Set([...masters].map(({ metadata }) => metadata.name));
  return {
    ...healthy,
    isHealthy: false,
    reason,
    message: `${reason}: ${affected.length} pod(s) affected [${listed}${more}]: ${affected[0]?.text ?? ""}${hint}`,
    failedPods: affected.length,
    isWorkersOnly: !failures.some(({ pod }) => masterNames.has(pod)),
  };
}

/** Returns the part of a health message that names the reason and the pods, without the text of the error. */
export function failureKey(message: string): string {
  const end = message.indexOf("]");
  return end < 0 ? message : message.slice(0, end);
}
