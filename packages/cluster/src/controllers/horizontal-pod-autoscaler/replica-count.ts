import { type DeepReadonly, once, TransientError } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { countReady, groupPods, type PodMetric, requestsOf } from "./pod-metrics.ts";

/** Relative deviations from the target that cause no scaling: 0.1 for ten percent. */
export interface Tolerances {
  readonly scaleDown: number;
  readonly scaleUp: number;
}

/** Number of replicas that a metric requires, with the observed value in thousandths. */
export interface Proposal {
  readonly replicas: number;
  readonly usage: bigint;
  /** Percentage of the requests, for a target of the type `Utilization`. */
  readonly utilization?: number;
}

/** Metrics of the pods of a scale target. */
export interface PodUsage {
  readonly current: number;
  readonly pods: readonly DeepReadonly<Pod>[];
  readonly metrics: ReadonlyMap<string, PodMetric>;
  /** Resource of the metrics; empty for custom metrics. */
  readonly resource: string;
  readonly tolerances: Tolerances;
  readonly now: number;
}

const int32Max = 2 ** 31 - 1;

/** Returns the replicas for a target that is a percentage of the requests (`GetResourceReplicas`). */
export function utilizationReplicas(
  usage: PodUsage,
  { target, container }: { readonly target: number; readonly container: string },
): Proposal {
  checkPods(usage.pods);
  const requests = once(() => requestsOf(usage.pods, { resource: usage.resource, container }));
  // A pod without a metric counts as using all of its request before replicas are removed.
  const assumed = (pod: string): bigint => ((requests().get(pod) ?? 0n) * BigInt(Math.max(100, target))) / 100n;
  const ratio = (metrics: ReadonlyMap<string, PodMetric>): Measured => {
    const known = [...metrics].filter(([pod]) => requests().has(pod));
    const total = sum(known.map(([, { value }]) => value));
    const requested = sum(known.map(([pod]) => requests().get(pod) ?? 0n));
    if (requested === 0n) throw new TransientError("no metrics returned matched known pods");
    const utilization = Number((total * 100n) / requested);
    return { ratio: utilization / target, utilization, usage: total / BigInt(known.length) };
  };
  return podReplicas(usage, { ratio, assumed });
}

/** Returns the replicas for a target that is an average value per pod, in thousandths (`calcPlainMetricReplicas`). */
export function averageReplicas(usage: PodUsage, target: bigint): Proposal {
  checkPods(usage.pods);
  const ratio = (metrics: ReadonlyMap<string, PodMetric>): Measured => {
    const average = sum([...metrics.values()].map(({ value }) => value)) / BigInt(metrics.size);
    return { ratio: Number(average) / Number(target), usage: average };
  };
  return podReplicas(usage, { ratio, assumed: () => target });
}

interface Measured {
  readonly ratio: number;
  readonly usage: bigint;
  readonly utilization?: number;
}

interface PodTarget {
  /** Returns the ratio of usage to target. */
  readonly ratio: (metrics: ReadonlyMap<string, PodMetric>) => Measured;
  /** Returns the usage of a pod without a metric that is assumed before replicas are removed. */
  readonly assumed: (pod: string) => bigint;
}

/**
 * Returns the replicas for metrics of pods. Pods without a metric, and starting ones before replicas are added, are
 * assumed to have the value that dampens the change; an assumption never reverses its direction.
 */
function podReplicas(usage: PodUsage, { ratio, assumed }: PodTarget): Proposal {
  const { current, pods, tolerances } = usage;
  const { readyCount, unready, missing, ignored } = groupPods(pods, usage.metrics, usage);
  const excluded = new Set([...unready, ...ignored]);
  const metrics = new Map([...usage.metrics].filter(([pod]) => !excluded.has(pod)));
  if (metrics.size === 0) {
    throw new TransientError("did not receive metrics for targeted pods (pods might be unready)");
  }
  const measured = ratio(metrics);
  const proposal = (replicas: number): Proposal => ({
    replicas,
    usage: measured.usage,
    ...(measured.utilization === undefined ? {} : { utilization: measured.utilization }),
  });
  const isUp = measured.ratio > 1;
  const hasStarting = unready.length > 0 && isUp;
  if (!hasStarting && missing.length === 0) {
    if (isWithin(tolerances, measured.ratio)) return proposal(current);
    return proposal(Math.ceil(measured.ratio * readyCount));
  }
  const at = { at: usage.now, windowMs: 0 };
  if (measured.ratio !== 1) for (const pod of missing) metrics.set(pod, { value: isUp ? 0n : assumed(pod), ...at });
  if (hasStarting) for (const pod of unready) metrics.set(pod, { value: 0n, ...at });
  const damped = ratio(metrics).ratio;
  const isReversed = (measured.ratio < 1 && damped > 1) || (isUp && damped < 1);
  if (isWithin(tolerances, damped) || isReversed) return proposal(current);
  const replicas = Math.ceil(damped * metrics.size);
  if ((damped < 1 && replicas > current) || (damped > 1 && replicas < current)) return proposal(current);
  return proposal(replicas);
}

/** Returns the replicas for one value and a target for all pods together (`getUsageRatioReplicaCount`). */
export function totalReplicas(
  value: bigint,
  target: bigint,
  { current, pods, tolerances }: Pick<PodUsage, "current" | "pods" | "tolerances">,
): Proposal {
  const ratio = Number(value) / Number(target);
  if (current === 0) return { replicas: Math.ceil(ratio), usage: value };
  if (isWithin(tolerances, ratio)) return { replicas: current, usage: value };
  checkPods(pods, "unable to calculate ready pods: ");
  return { replicas: Math.min(int32Max, Math.ceil(ratio * countReady(pods))), usage: value };
}

/** Returns the replicas for one value and a target per pod (`GetExternalPerPodMetricReplicas`). */
export function perPodReplicas(
  value: bigint,
  target: bigint,
  { statusReplicas, tolerances }: { readonly statusReplicas: number; readonly tolerances: Tolerances },
): Proposal {
  const ratio = Number(value) / (Number(target) * statusReplicas);
  const replicas = isWithin(tolerances, ratio)
    ? statusReplicas
    : Math.min(int32Max, Math.ceil(Number(value) / Number(target)));
  const average = Number(value) / statusReplicas;
  return { replicas, usage: Number.isFinite(average) ? BigInt(Math.ceil(average)) : 0n };
}

function isWithin({ scaleDown, scaleUp }: Tolerances, ratio: number): boolean {
  return 1 - scaleDown <= ratio && ratio <= 1 + scaleUp;
}

function checkPods(pods: PodUsage["pods"], prefix = ""): void {
  if (pods.length > 0) return;
  throw new TransientError(`${prefix}no pods returned by selector while calculating replica count`);
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}
