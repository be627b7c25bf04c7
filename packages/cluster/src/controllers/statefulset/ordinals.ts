import type { DeepReadonly, Stored } from "@homeostat/core";
import type { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { SomePod } from "../pods/pod-state.ts";

export type StoredStateful = Stored<StatefulSet>;

/** Label with the name of the ControllerRevision of a pod. */
export const revisionLabel = "controller-revision-hash";
export const podNameLabel = "statefulset.kubernetes.io/pod-name";
export const podIndexLabel = "apps.kubernetes.io/pod-index";

/** Returns the desired number of pods. */
export function replicasOf({ spec }: DeepReadonly<StatefulSet>): number {
  return spec?.replicas ?? 1;
}

/** Returns the first ordinal. */
export function startOf({ spec }: DeepReadonly<StatefulSet>): number {
  return spec?.ordinals?.start ?? 0;
}

/** Returns the StatefulSet and the ordinal in the name of a pod; undefined when the name has no ordinal. */
export function partsOf({ metadata }: SomePod): { readonly parent: string; readonly ordinal: number } | undefined {
  const match = /^(.*)-(\d+)$/s.exec(metadata.name ?? "");
  const ordinal = Number(match?.[2]);
  if (match === null || !(ordinal < 2 ** 31)) return undefined;
  return { parent: match[1] ?? "", ordinal };
}

/** Returns the ordinal of a pod; -1 when it has none. */
export function ordinalOf(pod: SomePod): number {
  return partsOf(pod)?.ordinal ?? -1;
}

/** Reports whether the ordinal of a pod is in the desired range. */
export function isInRange(pod: SomePod, set: DeepReadonly<StatefulSet>): boolean {
  const ordinal = ordinalOf(pod);
  return ordinal >= startOf(set) && ordinal < startOf(set) + replicasOf(set);
}

/** Returns the name of the revision of a pod. */
export function revisionOf({ metadata }: SomePod): string {
  return metadata.labels?.[revisionLabel] ?? "";
}

/** Reports whether pods are created and deleted in parallel instead of in order. */
export function isParallel({ spec }: DeepReadonly<StatefulSet>): boolean {
  return spec?.podManagementPolicy === "Parallel";
}
