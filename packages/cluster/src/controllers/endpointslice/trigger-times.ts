import { type DeepReadonly, findCondition, parseTime } from "@homeostat/core";
import type { Pod, Service } from "@homeostat/kubernetes/core/v1";

/** Times of the changes that can cause an update of endpoints, in milliseconds since the epoch. */
export interface Triggers {
  readonly service: number;
  readonly pods: ReadonlyMap<string, number>;
}

/**
 * Returns the times that can have caused a change: the creation of the Service and the readiness transitions of its
 * pods.
 */
export function triggersOf(service: DeepReadonly<Service>, pods: readonly DeepReadonly<Pod>[]): Triggers {
  const times = new Map<string, number>();
  for (const { metadata, status } of pods) {
    const changedAt = findCondition(status?.conditions, "Ready")?.lastTransitionTime;
    if (changedAt !== undefined) times.set(metadata.name ?? "", parseTime(changedAt));
  }
  return { service: parseTime(service.metadata.creationTimestamp ?? "1970-01-01T00:00:00Z"), pods: times };
}

/**
 * Returns the earliest time that is new since the last reconcile (`TriggerTimeTracker`): that of the Service on the
 * first reconcile, undefined when no time is new.
 */
export function triggerTime(before: Triggers | undefined, now: Triggers): number | undefined {
  if (before === undefined) return now.service;
  const changed = [...now.pods].filter(([name, time]) => time > (before.pods.get(name) ?? 0)).map(([, time]) => time);
  if (now.service > before.service) changed.push(now.service);
  return changed.length === 0 ? undefined : Math.min(...changed);
}
