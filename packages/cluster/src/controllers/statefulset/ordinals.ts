import type { DeepReadonly, Stored } from "@homeostat/core";
import type { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { SomePod } from "../pods/pod-state.ts";

/** A StatefulSet as it is read from a cache. */
export type StoredStateful = Stored<StatefulSet>;

/** The label with the name of the revision that a pod is of. */
export const revisionLabel = "controller-revision-hash";
export const podNameLabel = "statefulset.kubernetes.io/pod-name";
export const podIndexLabel = "apps.kubernetes.io/pod-index";

/** How many pods a StatefulSet is to have. */
export function replicasOf({ spec }: DeepReadonly<StatefulSet>): number {
  return spec?.replicas ?? 1;
}

/** The first ordinal of a StatefulSet. */
export function startOf({ spec }: DeepReadonly<StatefulSet>): number {
  return spec?.ordinals?.start ?? 0;
}

/** The StatefulSet and the ordinal that the name of a pod tells; undefined when it tells none. */
export function partsOf({ metadata }: SomePod): { readonly parent: string; readonly ordinal: number } | undefined {
  const match = /^(.*)-(\d+)$/s.exec(metadata.name ?? "");
  const ordinal = Number(match?.[2]);
  if (match === null || !(ordinal < 2 ** 31)) return undefined;
  return { parent: match[1] ?? "", ordinal };
}

/** The ordinal of a pod; -1 when it has none. */
export function ordinalOf(pod: SomePod): number {
  return partsOf(pod)?.ordinal ?? -1;
}

/** Whether a pod is one of those that a StatefulSet is to have. */
export function isInRange(pod: SomePod, set: DeepReadonly<StatefulSet>): boolean {
  const ordinal = ordinalOf(pod);
  return ordinal >= startOf(set) && ordinal < startOf(set) + replicasOf(set);
}

/** The revision that a pod is of. */
export function revisionOf({ metadata }: SomePod): string {
  return metadata.labels?.[revisionLabel] ?? "";
}

/** Whether pods come and go all at once, and not one after the other. */
export function isParallel({ spec }: DeepReadonly<StatefulSet>): boolean {
  return spec?.podManagementPolicy === "Parallel";
}
