import { type DeepReadonly, findCondition, parseTime } from "@homeostat/core";
import type { Pod, Service } from "@homeostat/kubernetes/core/v1";

/** What caused a change of endpoints, as times in milliseconds. */
export interface Triggers {
  readonly service: number;
  readonly pods: ReadonlyMap<string, number>;
}

/** Which times could have caused a change. */
export function triggersOf(service: DeepReadonly<Service>, pods: readonly DeepReadonly<Pod>[]): Triggers {
  const times = new Map<string, number>();
  for (const { metadata, status } of pods) {
    const changedAt = findCondition(status?.conditions, "Ready")?.lastTransitionTime;
    if (changedAt !== undefined) times.set(metadata.name ?? "", parseTime(changedAt));
  }
  return { service: parseTime(service.metadata.creationTimestamp ?? "1970-01-01T00:00:00Z"), pods: times };
}

/** The earliest of the times that are new since the last look; that of the service at the first; undefined when none is. */
export function triggerTime(before: Triggers | undefined, now: Triggers): number | undefined {
  if (before === undefined) return now.service;
  const changed = [...now.pods].filter(([name, time]) => time > (before.pods.get(name) ?? 0)).map(([, time]) => time);
  if (now.service > before.service) changed.push(now.service);
  return changed.length === 0 ? undefined : Math.min(...changed);
}
