import { type Condition, type DeepReadonly, findCondition, formatTime, parseTime, setCondition } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "@homeostat/kubernetes/policy/v1";

type Budget = DeepReadonly<PodDisruptionBudget>;
type AnyPod = DeepReadonly<Pod>;
type Status = DeepReadonly<PodDisruptionBudgetStatus>;

/**
 * Time after an eviction within which the pod must be marked for deletion (`DeletionTimeout` in disruption.go). The
 * eviction counts as failed after it.
 */
const deletionMs = 120_000;

/** The number of pods that should exist, and how many of them must be healthy. */
export interface Expectation {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** Reports whether a budget is relative to the scale of the pods' controllers: `maxUnavailable`, or a percentage. */
export function needsScale({ spec }: Budget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";
}

/** Returns what a budget requires. `scale` is the sum of the desired pods of the pods' controllers. */
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

/** Resolves an IntOrString: an integer, or a percentage of `whole`, rounded up. */
export function partOf(amount: number | string, whole: number): number {
  if (typeof amount === "number") return amount;
  return Math.ceil((Number(amount.replace(/%$/, "")) * whole) / 100);
}

/**
 * Evicted pods that are not marked for deletion yet. The eviction API adds them to `status.disruptedPods`, so that
 * they count as lost before the cache sees the deletion.
 */
export interface Disrupted {
  readonly pods: Readonly<Record<string, string>>;
  /** Names of pods whose deletion is overdue. */
  readonly overdue: readonly string[];
  /** Time of the next check in milliseconds since the epoch; undefined when none is needed. */
  readonly recheckAt: number | undefined;
}

/** Returns the evicted pods that still count as disrupted (`buildDisruptedPodMap`). */
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
  // One millisecond later than the deadline: at the deadline itself the pod is not overdue yet.
  const times = kept.map(([, at]) => parseTime(at) + deletionMs + 1);
  return { pods: Object.fromEntries(kept), overdue, recheckAt: times.length === 0 ? undefined : Math.min(...times) };
}

/** Counts healthy pods: ready, not being deleted and not evicted. */
export function countHealthy(pods: readonly AnyPod[], disrupted: Readonly<Record<string, string>>): number {
  const isReady = ({ status }: AnyPod): boolean => findCondition(status?.conditions, "Ready")?.status === "True";
  return pods.filter(
    (pod) =>
      pod.metadata.deletionTimestamp === undefined &&
      !Object.hasOwn(disrupted, pod.metadata.name ?? "") &&
      isReady(pod),
  ).length;
}

/** Returns the status of a budget. */
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

/**
 * Returns the status of a budget that could not be evaluated. It allows no disruption (`failSafe` in disruption.go).
 */
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
