import { type Condition, type DeepReadonly, findCondition, formatTime, parseTime, setCondition } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "@homeostat/kubernetes/policy/v1";

type Budget = DeepReadonly<PodDisruptionBudget>;
type AnyPod = DeepReadonly<Pod>;
type Status = DeepReadonly<PodDisruptionBudgetStatus>;

/** How long a pod that was evicted may take to be marked as going. */
const deletionMs = 120_000;

/** How many pods there should be, and how many of them at least healthy. */
export interface Expectation {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** Whether a budget counts in parts of a whole, so that the size of the whole has to be known. */
export function needsScale({ spec }: Budget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";
}

/** What a budget expects. `scale`: how many pods their controllers are to have. */
export function expectation(
  { spec }: Budget,
  { pods, scale }: { readonly pods: number; readonly scale: number },
): Expectation {
  if (spec?.maxUnavailable !== undefined) {
    return { expectedPods: scale, desiredHealthy: Math.max(0, scale - partOf(spec.maxUnavailable, scale)) };
  }
  if (typeof spec?.minAvailable === "string") {
    return { expectedPods: scale, desiredHealthy: partOf(spec.minAvailable, scale) };
  }
  return spec?.minAvailable === undefined
    ? { expectedPods: 0, desiredHealthy: 0 }
    : { expectedPods: pods, desiredHealthy: spec.minAvailable };
}

/** A number, or so many in a hundred of a whole, rounded up. */
export function partOf(amount: number | string, whole: number): number {
  if (typeof amount === "number") return amount;
  return Math.ceil((Number(amount.replace(/%$/, "")) * whole) / 100);
}

/** Pods that were evicted and are not marked as going yet. */
export interface Disrupted {
  readonly pods: Readonly<Record<string, string>>;
  /** Names of those that should be going by now. */
  readonly overdue: readonly string[];
  /** When to look again, in milliseconds; undefined when there is nothing to wait for. */
  readonly recheckAt: number | undefined;
}

/** Which of the evicted pods still count. */
export function disruptedPods({ status }: Budget, pods: readonly AnyPod[], now: number): Disrupted {
  const before = status?.disruptedPods ?? {};
  const kept: [string, string][] = [];
  const overdue: string[] = [];
  for (const { metadata } of pods) {
    const { name = "", deletionTimestamp } = metadata;
    const at = Object.hasOwn(before, name) ? before[name] : undefined;
    if (at === undefined || deletionTimestamp !== undefined) continue;
    if (parseTime(at) + deletionMs < now) overdue.push(name);
    else kept.push([name, at]);
  }
  const times = kept.map(([, at]) => parseTime(at) + deletionMs);
  return { pods: Object.fromEntries(kept), overdue, recheckAt: times.length === 0 ? undefined : Math.min(...times) };
}

/** How many pods are healthy: ready, and neither going nor evicted. */
export function countHealthy(pods: readonly AnyPod[], disrupted: Readonly<Record<string, string>>): number {
  const isReady = ({ status }: AnyPod): boolean => findCondition(status?.conditions, "Ready")?.status === "True";
  return pods.filter(
    (pod) =>
      pod.metadata.deletionTimestamp === undefined &&
      !Object.hasOwn(disrupted, pod.metadata.name ?? "") &&
      isReady(pod),
  ).length;
}

/** The status of a budget. */
export function budgetStatus(
  { metadata: { generation = 0 }, status }: Budget,
  {
    expectedPods,
    desiredHealthy,
    currentHealthy,
    disrupted,
    now,
  }: Expectation & {
    readonly currentHealthy: number;
    readonly disrupted: Readonly<Record<string, string>>;
    readonly now: number;
  },
): Status {
  const room = currentHealthy - desiredHealthy;
  const disruptionsAllowed = expectedPods <= 0 || room <= 0 ? 0 : room;
  const isAllowed = disruptionsAllowed > 0;
  return {
    ...(Object.keys(disrupted).length === 0 ? {} : { disruptedPods: disrupted }),
    conditions: allowed(status, now, {
      status: isAllowed ? "True" : "False",
      reason: isAllowed ? "SufficientPods" : "InsufficientPods",
      message: "",
      observedGeneration: generation,
    }),
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    expectedPods,
    observedGeneration: generation,
  };
}

/** The status of a budget of which it cannot be told what it allows: nothing. */
export function failedStatus({ status }: Budget, problem: string, now: number): Status {
  const before = status ?? { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };
  const { observedGeneration } = before;
  const conditions = allowed(status, now, {
    status: "False",
    reason: "SyncFailed",
    message: problem,
    observedGeneration,
  });
  return { ...before, disruptionsAllowed: 0, conditions };
}

function allowed(
  status: Status | undefined,
  now: number,
  condition: Pick<Condition, "status" | "reason" | "message"> & { readonly observedGeneration?: number | undefined },
): readonly DeepReadonly<Condition>[] {
  const before: readonly Condition[] = (status?.conditions ?? []).map((one) => ({
    ...one,
    status: one.status === "True" || one.status === "False" ? one.status : "Unknown",
    lastTransitionTime: one.lastTransitionTime ?? formatTime(now),
  }));
  return setCondition(before, { type: "DisruptionAllowed", ...condition }, now);
}
