// Why pods are not ready, read from the pods, their claims, their workloads and their events. Pure: one function per source, one
// table for what containers report.

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

/** A Deployment, ReplicaSet, StatefulSet, DaemonSet or Job: whatever creates pods. */
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

/** What {@link podProblems} looks at. */
export interface PodProblemsInput {
  /** Pods that are being deleted are left out. */
  readonly pods: readonly DeepReadonly<Pod>[];
  /** The claims of these pods. */
  readonly claims?: readonly DeepReadonly<PersistentVolumeClaim>[];
  /** The workloads of these pods, for pods that cannot be created. */
  readonly workloads?: readonly PodWorkload[];
  /** Events about the pods and workloads; others are ignored. Volumes that cannot be mounted, and pods that a Job or StatefulSet cannot create, show in events only. */
  readonly events?: readonly DeepReadonly<Event>[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Pods younger than this are not examined, because slow starts look like failures. Default: 0. */
  readonly startupGraceMs?: number;
  /** How long a pod may wait for a node, and a claim for its volume, before that blocks. Default: 300,000. */
  readonly patienceMs?: number;
  /** How many restarts in a crash loop make it blocking. Default: 5. */
  readonly restartsMax?: number;
  /** Reports whether the exit code of a container is no failure of the pod, because it is the outcome of its work. Default: none is. */
  isExitExpected?(this: void, pod: DeepReadonly<Pod>, container: string): boolean;
}

/** The input, complete. */
type Options = Required<Pick<PodProblemsInput, "now" | "patienceMs" | "restartsMax" | "isExitExpected">>;

/**
 * Returns why pods are not ready, pod by pod in the given order, then claims, then workloads. Empty when nothing is known to be wrong.
 *
 * Of one pod the problem that has to be resolved first comes first: scheduling, then init containers, then containers, then volumes.
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
    ...said(scheduled),
    ...(missing === undefined ? {} : { missing }),
    sentence: `Pod ${pod} has no node: ${scheduled.message ?? "it cannot be scheduled"}`,
  };
}

/** What the kubelet says about a container that waits, and whether it stays so without action. */
const waitingReasons: ReadonlyMap<string, readonly [reason: PodProblemReason, isBlocking: boolean]> = new Map([
  // The first refusal of a registry may pass; when it does not, the kubelet backs off.
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
    // A sidecar that is told to stop exits with a code of its own, which says nothing.
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
  const place = { pod, container: name, isInit, restarts };
  const where = `${isInit ? "Init container" : "Container"} ${name} of pod ${pod}`;
  const { waiting, terminated } = state ?? {};
  if (waiting?.reason === "CrashLoopBackOff") {
    const isBlocking = restarts >= restartsMax;
    const sentence = `${where} fails again and again (${restarts} restarts)`;
    yield { reason: "CrashLoop", ...place, isBlocking, ...said(waiting), sentence };
    yield* outOfMemory(lastState?.terminated, { ...place, where, isBlocking });
    return;
  }
  if (waiting?.reason !== undefined) {
    yield* whileWaiting(waiting.reason, waiting.message, { ...place, where });
    return;
  }
  if (terminated === undefined || terminated.exitCode === 0 || isExitIgnored) return;
  const { exitCode } = terminated;
  const isBlocking = !isRestarted || restarts >= restartsMax;
  const word = terminated.reason === undefined ? "" : ` (${terminated.reason})`;
  const sentence = `${where} exited with code ${exitCode}${word}`;
  const reason = isInit ? "InitFailed" : "ContainerFailed";
  yield { reason, ...place, exitCode, isBlocking, ...said(terminated), sentence };
  yield* outOfMemory(terminated, { ...place, where, isBlocking });
}

type ContainerPlace = Required<Pick<PodProblem, "pod" | "container" | "isInit" | "restarts">>;

function* whileWaiting(
  source: string,
  detail: string | undefined,
  { where, ...place }: ContainerPlace & { readonly where: string },
): Generator<PodProblem> {
  const row = waitingReasons.get(source);
  if (row === undefined) return;
  const [reason, isBlocking] = row;
  const sentence = `${where} is waiting: ${detail ?? source}`;
  const missing = reason === "InvalidConfiguration" ? missingObjectIn(detail ?? "") : undefined;
  const about = { ...place, isBlocking, ...said({ reason: source, message: detail }), sentence };
  if (missing === undefined) yield { reason, ...about };
  else yield { reason: "MissingReference", ...about, missing };
}

function* outOfMemory(
  terminated: DeepReadonly<ContainerStateTerminated> | undefined,
  { where, ...place }: ContainerPlace & { readonly where: string; readonly isBlocking: boolean },
): Generator<PodProblem> {
  if (terminated?.reason !== "OOMKilled") return;
  const { exitCode } = terminated;
  yield {
    reason: "OutOfMemory",
    ...place,
    exitCode,
    ...said(terminated),
    sentence: `${where} exceeded its memory limit`,
  };
}

/** A pod whose volumes cannot be mounted says nothing in its status: its containers wait, and only events tell why. */
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
    ...said({ reason: source, message: detail }),
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
  const sentence = phase === "Lost" ? `Claim ${claim} has lost its volume` : `Claim ${claim} has no volume`;
  yield { reason: "Volume", claim, isBlocking, source: phase, sentence };
}

/** Deployments and ReplicaSets have conditions for it; Jobs and StatefulSets have events only. */
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
    // A missing ServiceAccount keeps pods from being created, where a missing ConfigMap keeps them from being started.
    const missing =
      refusal === undefined || isOf(refusal, "ServiceAccount") ? missingObjectIn(detail ?? "") : undefined;
    yield {
      reason: missing === undefined ? "AdmissionRefused" : "MissingReference",
      workload,
      isBlocking: true,
      ...said({ reason: failure === undefined ? "FailedCreate" : "ReplicaFailure", message: detail }),
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
    ...said({ reason: "ProgressDeadlineExceeded", message: stuck.message }),
    sentence: `${kind} ${workload} does not progress: ${stuck.message ?? "its deadline has passed"}`,
  };
}

function isOf(refusal: Refusal, plugin: string): boolean {
  return refusal.reason === "AdmissionDenied" && refusal.deniedBy.name === plugin;
}

/** The words of the component that reported a problem. */
function said({ reason, message }: { readonly reason?: string | undefined; readonly message?: string | undefined }): {
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

/** The newest event of each object, of those with one of the reasons, by the uid of the object. */
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
