import type { DeepReadonly } from "@homeostat/core";
import { parseTime } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import type { ConditionWish } from "../status/conditions.ts";
import { isHanging, judgePod, type JudgeOptions } from "./judge-pod.ts";
import type { TestPod } from "../observe/pods.ts";
import { type PodProblem, problemTypes } from "./pod-problem.ts";

/** What the health of a test's pods is found from. */
export interface HealthInput extends JudgeOptions {
  /** Undefined when they could not be listed. */
  readonly pods: readonly TestPod[] | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How long a pod may take to start. */
  readonly graceMs: number;
  /** Whether workers that are driven from their nodes are replaced, and so are no failure. */
  readonly ignoresDisruptions: boolean;
  /** What the newest event of a Job says that cannot make any pods, though it had the time. */
  readonly refusal: string | undefined;
}

/** How the pods of a test are. */
export interface Health {
  readonly isHealthy: boolean;
  readonly reason: ConditionWish<"PodsHealthy">["reason"];
  readonly message: string;
  /** How many pods are failing. */
  readonly failedPods: number;
  /** Whether only workers are. */
  readonly isWorkersOnly: boolean;
  /** Whether the API server takes no pods of a Job for now. */
  readonly isRefused: boolean;
  /** Whether some pod gets nowhere, and nobody has said why. */
  readonly isHanging: boolean;
  /** When there is more to say without anything having happened. */
  readonly requeueAfterMs: number | undefined;
}

/** So many pods are named in a message. */
const namesMax = 50;

/** A quota may be raised and other pods may end: nothing to fail a test for. */
const quotaText = "exceeded quota";

/** How the pods of a test are. The first row that fits counts. */
export function judgeHealth(input: HealthInput): Health {
  const { pods, refusal } = input;
  if (pods === undefined) return healthy("PodsHealthy", "Pod health check pending");
  if (refusal !== undefined && !refusal.includes(quotaText)) return refused(refusal);
  if (pods.length === 0) return waiting(refusal);
  const ages = pods.map(({ pod }) => ageMs(pod, input.now));
  const oldestMs = Math.max(...ages);
  if (oldestMs < input.graceMs) return healthy("PodsStarting", "Pods are starting up", input.graceMs - oldestMs);

  const old = pods.filter((_, index) => (ages[index] ?? 0) >= input.graceMs);
  const youngestMs = Math.min(...ages);
  const requeueAfterMs = youngestMs < input.graceMs ? input.graceMs - youngestMs : undefined;
  const judged = old.filter((each) => isJudged(each, input));
  const problems = judged.flatMap((each) => judgePod(each, input) ?? []);
  if (problems.length > 0) return { ...unhealthy(problems), requeueAfterMs };
  if (refusal !== undefined) return waiting(refusal, requeueAfterMs);
  return {
    ...healthy("PodsHealthy", "All pods are healthy", requeueAfterMs),
    isHanging: judged.some(({ pod }) => isHanging(pod)),
  };
}

/** The pods whose events have to be looked up before they can be judged. */
export function hangingPods({
  pods = [],
  now,
  graceMs,
}: Pick<HealthInput, "pods" | "now" | "graceMs">): readonly DeepReadonly<Pod>[] {
  return pods.flatMap(({ pod }) =>
    ageMs(pod, now) >= graceMs && pod.metadata.deletionTimestamp === undefined && isHanging(pod) ? [pod] : [],
  );
}

/** Pods on their way out are not judged, nor workers that were driven away where that is to be ignored. */
function isJudged({ role, pod }: TestPod, { ignoresDisruptions }: HealthInput): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  const isDisrupted = pod.status?.conditions?.some(
    ({ type, status }) => type === "DisruptionTarget" && status === "True",
  );
  return !(isDisrupted === true && role === "worker" && ignoresDisruptions);
}

/** How old a pod is; never negative, whatever the clocks say. */
function ageMs({ metadata }: DeepReadonly<Pod>, now: number): number {
  const { creationTimestamp } = metadata;
  return creationTimestamp === undefined ? 0 : Math.max(0, now - parseTime(creationTimestamp));
}

function healthy(reason: Health["reason"], message: string, requeueAfterMs?: number): Health {
  const plain = { failedPods: 0, isWorkersOnly: false, isRefused: false, isHanging: false };
  return { isHealthy: true, reason, message, ...plain, requeueAfterMs };
}

function waiting(refusal: string | undefined, requeueAfterMs?: number): Health {
  const text = "Waiting for pods to be created";
  if (refusal === undefined) return healthy("PodsStarting", text, requeueAfterMs);
  return { ...healthy("PodsStarting", `${text}: ${refusal}`, requeueAfterMs), isRefused: true };
}

/** The API server takes no pod of a Job, and will not by itself. */
function refused(text: string): Health {
  return {
    ...healthy("SchedulingError", `SchedulingError: 0 pod(s) affected []: ${text}`),
    isHealthy: false,
  };
}

function unhealthy(problems: readonly PodProblem[]): Health {
  const type = problemTypes.find((each) => problems.some((problem) => problem.type === each)) ?? "CrashLoopBackOff";
  const affected = problems.filter((problem) => problem.type === type);
  const names = affected.map(({ pod }) => pod).toSorted();
  const listed = names.slice(0, namesMax).join(", ");
  const rest = names.length > namesMax ? `, and ${names.length - namesMax} more` : "";
  const hint = type === "ConfigurationError" ? ". Create the ConfigMap and the pods will restart automatically." : "";
  return {
    isHealthy: false,
    reason: type,
    message: `${type}: ${affected.length} pod(s) affected [${listed}${rest}]: ${affected[0]?.text ?? ""}${hint}`,
    failedPods: affected.length,
    isWorkersOnly: problems.every(({ role }) => role === "worker"),
    isRefused: false,
    isHanging: false,
    requeueAfterMs: undefined,
  };
}

/** The part of a health message that changes with its reason or its pods, and not with the text of an error. */
export function failureKeyOf(message: string): string {
  const end = message.indexOf("]");
  return end < 0 ? message : message.slice(0, end);
}
