// Finds the reasons why pods are not ready in pods, claims, workloads and events. Pure functions: one per source, and one table for the waiting
// reasons of containers.

import { type DeepReadonly, parseTime } from "@homeostat/core";
import type {
  ContainerStateTerminated,
  ContainerStatus,
  Event,
  PersistentVolumeClaim,
  Pod,
} from "@homeostat/kubernetes/core/v1";
import { type Refusal, refusalIn } from "../failures/refusal.ts";
import { missingObjectIn } from "./missing-object.ts";
import type { PodProblem, PodProblemReason } from "./pod-problem.ts";
import { isPodHanging, podAgeMs } from "./pod-state.ts";

/** A workload that creates pods: Deployment, ReplicaSet, StatefulSet, DaemonSet or Job. */
export interface PodWorkload {
  readonly kind?: string | undefined;
  readonly metadata: { readonly name?: string | undefined; readonly uid?: string | undefined };
  readonly status?:
    | {
        readonly conditions?:
          | readonly { readonly type: string; readonly status: string; readonly message?: string | undefined }[]
          | undefined;
      }
    | undefined;
}

/** Input of {@link podProblems}. */
export interface PodProblemsInput {
  /** Pods to examine. Those that are being deleted are skipped. */
  readonly pods: readonly DeepReadonly<Pod>[];
  /** The claims of these pods. */
  readonly claims?: readonly DeepReadonly<PersistentVolumeClaim>[];
  /** The workloads of these pods, for pods that cannot be created. */
  readonly workloads?: readonly PodWorkload[];
  /**
   * Events about the pods and workloads; others are ignored. Volumes that cannot be mounted, and pods that a Job or StatefulSet cannot create, are
   * reported in events only.
   */
  readonly events?: readonly DeepReadonly<Event>[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Pods younger than this are not examined, because slow starts look like failures. Default: 0. */
  readonly startupGraceMs?: number;
  /** Milliseconds that a pod may wait for a node, and a claim for its volume, before the problem is blocking. Default: 300,000. */
  readonly patienceMs?: number;
  /** Number of restarts from which a crash loop is blocking. Default: 5. */
  readonly restartsMax?: number;
  /** Reports whether a non-zero exit code of a container is an expected result and no failure of the pod. Default: never. */
  isExitExpected?(this: void, pod: DeepReadonly<Pod>, container: string): boolean;
}

/** Options of the input with their defaults. */
type Options = Required<Pick<PodProblemsInput, "now" | "patienceMs" | "restartsMax" | "isExitExpected">>;

/**
 * Returns the reasons why pods are not ready: first those of the pods in the given order, then of claims, then of workloads. Empty when no problem
 * is known.
 *
 * The problems of one pod are in the order in which they have to be resolved: scheduling, init containers, containers, volumes.
 *
 * @example
 * const [problem] = podProblems({ pods, claims, now: clock.now() }).filter(({ isBlocking }) => isBlocking);
 * if (problem !== undefined) setCondition("Ready", { status: false, reason: problem.reason, message: problem.sentence });
 */
export function podProblems(input: PodProblemsInput): readonly PodProblem[] {
  const { pods, claims = [], workloads = [], events = [], startupGraceMs = 0 } = input;
  const { now, patienceMs = 300_000, restartsMax = 5, isExitExpected = () => false } = input;
  const options: Options = { now, patienceMs, restartsMax, isExitExpected };
  const volumeEvents = newestByUid(events, ["FailedMount", "FailedAttachVolume"]);
  const createEvents = newestByUid(events, ["FailedCreate"]);
  const examined = pods.filter(
    (pod) => pod.metadata.deletionTimestamp === undefined && podAgeMs(pod, now) >= startupGraceMs,
  );
  return [
    ...examined.flatMap((pod) => [
      ...schedulingProblems(pod, options),
      ...containerProblems(pod, options),
      ...volumeProblems(pod, volumeEvents),
      ...evictionProblems(pod),
    ]),
    ...claims.flatMap((claim) => [...claimProblems(claim, options)]),
    ...workloads.flatMap((workload) => [...workloadProblems(workload, createEvents)]),
  ];
}

function* schedulingProblems(
  { metadata, status }: DeepReadonly<Pod>,
  { now, patienceMs }: Options,
): Generator<PodProblem> {
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status !== "False") return;
  const pod = metadata.name ?? "";
  const since = scheduled.lastTransitionTime ?? metadata.creationTimestamp;
  const missing = missingObjectIn(scheduled.message ?? "");
  yield {
    reason: "Unschedulable",
    pod,
    isBlocking: isOlder(since, { now, patienceMs }),
    ...reported(scheduled),
    ...(missing === undefined ? {} : { missing }),
    sentence: `Pod ${pod} cannot be scheduled: ${scheduled.message ?? "no node was found"}`,
  };
}

/** Reasons of waiting containers as set by the kubelet, and whether they persist without action. */
const waitingReasons: ReadonlyMap<string, readonly [reason: PodProblemReason, isBlocking: boolean]> = new Map([
  // The first failed pull may be transient; if it persists, the reason becomes ImagePullBackOff.
  ["ErrImagePull", ["ImagePull", false]],
  ["ImagePullBackOff", ["ImagePull", true]],
  ["InvalidImageName", ["ImagePull", true]],
  ["ErrImageNeverPull", ["ImagePull", true]],
  ["ImageInspectError", ["ImagePull", true]],
  ["RegistryUnavailable", ["ImagePull", false]],
  ["SignatureValidationFailed", ["ImagePull", true]],
  ["CreateContainerConfigError", ["InvalidConfiguration", true]],
  ["CreateContainerError", ["StartFailed", true]],
  ["RunContainerError", ["StartFailed", true]],
  ["PostStartHookError", ["StartFailed", false]],
]);

function* containerProblems(pod: DeepReadonly<Pod>, options: Options): Generator<PodProblem> {
  const { spec, status } = pod;
  const sidecars = new Set(
    spec?.initContainers?.flatMap(({ name, restartPolicy }) => (restartPolicy === "Always" ? [name] : [])),
  );
  const isRestarted = spec?.restartPolicy !== "Never";
  for (const container of status?.initContainerStatuses ?? []) {
    // The exit code of a sidecar that was stopped is meaningless.
    const isExitIgnored = sidecars.has(container.name);
    yield* inContainer(pod, container, { ...options, isInit: true, isExitIgnored, isRestarted });
  }
  for (const container of status?.containerStatuses ?? []) {
    const isExitIgnored = options.isExitExpected(pod, container.name);
    yield* inContainer(pod, container, { ...options, isInit: false, isExitIgnored, isRestarted });
  }
}

interface ContainerOptions extends Options {
  readonly isInit: boolean;
  readonly isExitIgnored: boolean;
  readonly isRestarted: boolean;
}

function* inContainer(
  { metadata }: DeepReadonly<Pod>,
  status: DeepReadonly<ContainerStatus>,
  { isInit, isExitIgnored, isRestarted, restartsMax }: ContainerOptions,
): Generator<PodProblem> {
  const { name, state, lastState, restartCount: restarts } = status;
  const pod = metadata.name ?? "";
  const location = { pod, container: name, isInit, restarts };
  const where = `${isInit ? "Init container" : "Container"} ${name} of pod ${pod}`;
  const { waiting, terminated } = state ?? {};
  if (waiting?.reason === "CrashLoopBackOff") {
    const isBlocking = restarts >= restartsMax;
    const sentence = `${where} is crash looping (${restarts} restarts)`;
    yield { reason: "CrashLoop", ...location, isBlocking, ...reported(waiting), sentence };
    yield* outOfMemory(lastState?.terminated, { ...location, where, isBlocking });
    return;
  }
  if (waiting?.reason !== undefined) {
    yield* whileWaiting(waiting.reason, waiting.message, { ...location, where });
    return;
  }
  if (terminated === undefined || terminated.exitCode === 0 || isExitIgnored) return;
  const { exitCode } = terminated;
  const isBlocking = !isRestarted || restarts >= restartsMax;
  const word = terminated.reason === undefined ? "" : ` (${terminated.reason})`;
  const sentence = `${where} exited with code ${exitCode}${word}`;
  const reason = isInit ? "InitFailed" : "ContainerFailed";
  yield { reason, ...location, exitCode, isBlocking, ...reported(terminated), sentence };
  yield* outOfMemory(terminated, { ...location, where, isBlocking });
}

type ContainerLocation = Required<Pick<PodProblem, "pod" | "container" | "isInit" | "restarts">>;

function* whileWaiting(
  source: string,
  detail: string | undefined,
  { where, ...location }: ContainerLocation & { readonly where: string },
): Generator<PodProblem> {
  const row = waitingReasons.get(source);
  if (row === undefined) return;
  const [reason, isBlocking] = row;
  const sentence = `${where} is waiting: ${detail ?? source}`;
  const missing = reason === "InvalidConfiguration" ? missingObjectIn(detail ?? "") : undefined;
  const about = { ...location, isBlocking, ...reported({ reason: source, message: detail }), sentence };
  if (missing === undefined) yield { reason, ...about };
  else yield { reason: "MissingReference", ...about, missing };
}

function* outOfMemory(
  terminated: DeepReadonly<ContainerStateTerminated> | undefined,
  { where, ...location }: ContainerLocation & { readonly where: string; readonly isBlocking: boolean },
): Generator<PodProblem> {
  if (terminated?.reason !== "OOMKilled") return;
  const { exitCode } = terminated;
  yield {
    reason: "OutOfMemory",
    ...location,
    exitCode,
    ...reported(terminated),
    sentence: `${where} exceeded its memory limit`,
  };
}

/** Yields volumes that cannot be mounted. They are reported in events only: in the status of the pod, its containers just wait. */
function* volumeProblems(pod: DeepReadonly<Pod>, events: ReadonlyMap<string, NewestEvent>): Generator<PodProblem> {
  const event = isPodHanging(pod) ? events.get(pod.metadata.uid ?? "") : undefined;
  if (event === undefined) return;
  const { reason: source, text: detail } = event;
  const name = pod.metadata.name ?? "";
  const missing = missingObjectIn(detail);
  const about = {
    pod: name,
    isBlocking: true,
    detail,
    source,
    sentence: `Pod ${name} cannot mount a volume: ${detail}`,
  };
  if (missing === undefined) yield { reason: "Volume", ...about };
  else yield { reason: "MissingReference", ...about, missing };
}

function* evictionProblems({ metadata, status }: DeepReadonly<Pod>): Generator<PodProblem> {
  const pod = metadata.name ?? "";
  const disruption = status?.conditions?.find((one) => one.type === "DisruptionTarget" && one.status === "True");
  if (status?.phase !== "Failed" || (status.reason !== "Evicted" && disruption === undefined)) return;
  const detail = status.message ?? disruption?.message;
  const source = disruption?.reason ?? status.reason;
  const why = detail ?? source ?? "it was disrupted";
  yield {
    reason: "Evicted",
    pod,
    isBlocking: false,
    ...reported({ reason: source, message: detail }),
    sentence: `Pod ${pod} was evicted: ${why}`,
  };
}

function* claimProblems(
  { metadata, status }: DeepReadonly<PersistentVolumeClaim>,
  { now, patienceMs }: Options,
): Generator<PodProblem> {
  const phase = status?.phase ?? "Pending";
  if (phase === "Bound") return;
  const claim = metadata.name ?? "";
  const isBlocking = phase === "Lost" || isOlder(metadata.creationTimestamp, { now, patienceMs });
  const problem = phase === "Lost" ? "has lost its volume" : "is not bound";
  const sentence = `PersistentVolumeClaim ${claim} ${problem}`;
  yield { reason: "Volume", claim, isBlocking, source: phase, sentence };
}

/** Yields workloads that cannot create pods. Deployments and ReplicaSets report it in conditions, Jobs and StatefulSets in events only. */
function* workloadProblems(
  { kind = "Workload", metadata, status }: PodWorkload,
  events: ReadonlyMap<string, NewestEvent>,
): Generator<PodProblem> {
  const workload = metadata.name ?? "";
  const conditions = status?.conditions ?? [];
  const failure = conditions.find((one) => one.type === "ReplicaFailure" && one.status === "True");
  const event = events.get(metadata.uid ?? "");
  const detail = failure?.message ?? event?.text;
  if (failure !== undefined || event !== undefined) {
    const refusal = refusalIn(detail ?? "");
    // A missing ServiceAccount prevents the creation of pods; a missing ConfigMap or Secret only prevents their start.
    const missing =
      refusal === undefined || isOf(refusal, "ServiceAccount") ? missingObjectIn(detail ?? "") : undefined;
    yield {
      reason: missing === undefined ? "AdmissionRefused" : "MissingReference",
      workload,
      isBlocking: true,
      ...reported({ reason: failure === undefined ? "FailedCreate" : "ReplicaFailure", message: detail }),
      ...(refusal === undefined ? {} : { refusal }),
      ...(missing === undefined ? {} : { missing }),
      sentence: `${kind} ${workload} cannot create pods: ${detail ?? "the API server rejects them"}`,
    };
  }
  const stuck = conditions.find((one) => one.type === "Progressing" && one.status === "False");
  if (stuck === undefined) return;
  yield {
    reason: "ProgressDeadlineExceeded",
    workload,
    isBlocking: true,
    ...reported({ reason: "ProgressDeadlineExceeded", message: stuck.message }),
    sentence: `${kind} ${workload} does not progress: ${stuck.message ?? "its progress deadline is exceeded"}`,
  };
}

function isOf(refusal: Refusal, plugin: string): boolean {
  return refusal.reason === "AdmissionDenied" && refusal.deniedBy.name === plugin;
}

/** Returns message and reason as reported by a component of Kubernetes. */
function reported({
  reason,
  message,
}: {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}): {
  readonly detail?: string;
  readonly source?: string;
} {
  return {
    ...(message === undefined || message === "" ? {} : { detail: message }),
    ...(reason === undefined ? {} : { source: reason }),
  };
}

interface NewestEvent {
  readonly at: number;
  readonly reason: string;
  readonly text: string;
}

/** Returns the newest event with one of the reasons for each object, by the UID of the object. */
function newestByUid(
  events: readonly DeepReadonly<Event>[],
  reasons: readonly string[],
): ReadonlyMap<string, NewestEvent> {
  const newest = new Map<string, NewestEvent>();
  for (const event of events) {
    const { involvedObject, reason = "", message: text = "" } = event;
    const uid = involvedObject.uid ?? "";
    if (uid === "" || text === "" || !reasons.includes(reason)) continue;
    const at = timeOf(event);
    if (at >= (newest.get(uid)?.at ?? -Infinity)) newest.set(uid, { at, reason, text });
  }
  return newest;
}

function timeOf({ lastTimestamp, eventTime, series, metadata }: DeepReadonly<Event>): number {
  const text = lastTimestamp ?? series?.lastObservedTime ?? eventTime ?? metadata.creationTimestamp;
  return text === undefined ? 0 : parseTime(text);
}

function isOlder(time: string | undefined, { now, patienceMs }: Pick<Options, "now" | "patienceMs">): boolean {
  return time !== undefined && now - parseTime(time) >= patienceMs;
}
