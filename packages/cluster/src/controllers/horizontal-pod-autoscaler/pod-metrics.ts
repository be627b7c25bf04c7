import { type DeepReadonly, findCondition, parseTime, quantityFromJSON, TransientError } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";

type AnyPod = DeepReadonly<Pod>;

/** A measured value of a pod, in thousandths. */
export interface PodMetric {
  readonly value: bigint;
  /** Time of the measurement in milliseconds since the epoch, and the length of the interval that it covers. */
  readonly at: number;
  readonly windowMs: number;
}

/** Pods of a scale target by their state and metrics, as `groupPods` of kube-controller-manager divides them. */
export interface PodGroups {
  readonly readyCount: number;
  /** Pending pods and, for CPU, pods that are not ready yet. */
  readonly unready: readonly string[];
  /** Running pods without a metric. */
  readonly missing: readonly string[];
  /** Deleted and failed pods. */
  readonly ignored: readonly string[];
}

/**
 * Time after the start of a pod in which its CPU usage may be that of its initialization
 * (`--horizontal-pod-autoscaler-cpu-initialization-period`).
 */
const cpuInitializationMs = 300_000;
/**
 * Time after the start of a pod in which a change to unready is its first readiness status
 * (`--horizontal-pod-autoscaler-initial-readiness-delay`).
 */
const initialReadinessMs = 30_000;

/** Divides pods by their state. The CPU usage of a pod that is starting says nothing about its load. */
export function groupPods(
  pods: readonly AnyPod[],
  metrics: ReadonlyMap<string, PodMetric>,
  { resource, now }: { readonly resource: string; readonly now: number },
): PodGroups {
  let readyCount = 0;
  const unready: string[] = [];
  const missing: string[] = [];
  const ignored: string[] = [];
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata;
    const metric = metrics.get(name);
    if (deletionTimestamp !== undefined || pod.status?.phase === "Failed") ignored.push(name);
    else if (pod.status?.phase === "Pending") unready.push(name);
    else if (metric === undefined) missing.push(name);
    else if (resource === "cpu" && isStarting(pod, metric, now)) unready.push(name);
    else readyCount += 1;
  }
  return { readyCount, unready, missing, ignored };
}

function isStarting({ status }: AnyPod, { at, windowMs }: PodMetric, now: number): boolean {
  const ready = findCondition(status?.conditions, "Ready");
  if (ready === undefined || status?.startTime === undefined) return true;
  const startedAt = parseTime(status.startTime);
  const changedAt = parseTime(ready.lastTransitionTime ?? status.startTime);
  const isUnready = ready.status === "False";
  if (startedAt + cpuInitializationMs > now) return isUnready || at < changedAt + windowMs;
  return isUnready && startedAt + initialReadinessMs > changedAt;
}

/** Returns the requests of pods for a resource in thousandths, by name. `container` limits them to one container. */
export function requestsOf(
  pods: readonly AnyPod[],
  { resource, container }: { readonly resource: string; readonly container: string },
): ReadonlyMap<string, bigint> {
  return new Map(
    pods.map((pod) => {
      const { name = "" } = pod.metadata;
      const ofPod = pod.spec?.resources?.requests;
      const isPodLevel = container === "" && ["cpu", "memory"].some((each) => ofPod?.[each] !== undefined);
      if (!isPodLevel) return [name, containerRequests(pod, { resource, container })];
      const request = ofPod?.[resource];
      if (request === undefined) {
        throw new TransientError(`missing pod-level request for ${resource} in Pod ${name}`);
      }
      return [name, quantityFromJSON(request).milliValue()];
    }),
  );
}

function containerRequests(
  { metadata: { name = "" }, spec }: AnyPod,
  { resource, container }: { readonly resource: string; readonly container: string },
): bigint {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const containers = [...(spec?.containers ?? []), ...sidecars];
  const chosen = container === "" ? containers : containers.filter((each) => each.name === container);
  if (container !== "" && chosen.length === 0) {
    throw new TransientError(`container ${container} not found in Pod ${name}`);
  }
  return chosen.reduce((sum, each) => {
    const request = each.resources?.requests?.[resource];
    if (request === undefined) {
      throw new TransientError(`missing request for ${resource} in container ${each.name} of Pod ${name}`);
    }
    return sum + quantityFromJSON(request).milliValue();
  }, 0n);
}

/** Counts the pods that are running and ready. */
export function countReady(pods: readonly AnyPod[]): number {
  return pods.filter(
    ({ status }) => status?.phase === "Running" && findCondition(status.conditions, "Ready")?.status === "True",
  ).length;
}
