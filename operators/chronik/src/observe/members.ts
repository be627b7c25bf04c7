// StatefulSets, pods and claims as plain values.

import type { DeepReadonly, Stored } from "homeostat";
import { controllerOf, parseTime } from "@homeostat/core";
import type { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import { annotations, isAnnotated } from "../api/annotations.ts";
import type { StatefulComponent } from "../api/identity.ts";
import { labels } from "../api/labels.ts";
import { claimOwner, ordinalOf } from "../api/names.ts";
import type { ObservedClaim, ObservedMember, ObservedStatefulSet, ObservedTier, StuckState } from "./observed.ts";

type AnyPod = DeepReadonly<Pod>;
type AnyClaim = DeepReadonly<PersistentVolumeClaim>;

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseTime(text));

/**
 * Returns a StatefulSet and its members.
 *
 * Members are the pods that it controls. While it is recreated to grow its volumes, pods have no controller for a moment, or still the deleted StatefulSet: they run
 * and vote, so they count as well.
 */
export function tierOf(
  cluster: string,
  component: StatefulComponent,
  { set, pods }: { readonly set: Stored<StatefulSet> | undefined; readonly pods: readonly AnyPod[] },
): ObservedTier {
  const members = pods
    .filter((pod) => {
      const controller = controllerOf(pod);
      return set === undefined || controller === undefined || controller.uid === set.metadata.uid;
    })
    .flatMap((pod) => memberOf(cluster, component, pod))
    .toSorted((a, b) => a.ordinal - b.ordinal);
  return { set: set && setOf(set), members };
}

function setOf({ metadata, spec, status }: Stored<StatefulSet>): ObservedStatefulSet {
  const marks = spec?.template.metadata?.annotations;
  const size = spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"];
  return {
    uid: metadata.uid,
    isTerminating: metadata.deletionTimestamp !== undefined,
    generation: metadata.generation ?? 0,
    observedGeneration: status?.observedGeneration ?? 0,
    updateRevision: status?.updateRevision ?? "",
    replicas: spec?.replicas ?? 1,
    templateSize: size?.toString(),
    templateHash: metadata.annotations?.[annotations.templateHash],
    configHash: marks?.[annotations.configHash],
    secretHash: marks?.[annotations.secretHash],
  };
}

function memberOf(cluster: string, component: StatefulComponent, pod: AnyPod): readonly ObservedMember[] {
  const { metadata, spec, status } = pod;
  const { name: podName = "", annotations: notes } = metadata;
  const ordinal = ordinalOf(cluster, component, podName);
  if (ordinal === undefined) return [];
  const createdAt = timeOf(metadata.creationTimestamp) ?? 0;
  const isTerminating = metadata.deletionTimestamp !== undefined;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const since = timeOf(ready?.lastTransitionTime) ?? createdAt;
  const isReady = ready?.status === "True";
  const unreadySince = isReady ? undefined : since;
  return [
    {
      ordinal,
      podName,
      uid: metadata.uid ?? "",
      revision: metadata.labels?.["controller-revision-hash"] ?? "",
      ip: status?.podIP,
      readySince: isReady && !isTerminating ? since : undefined,
      unreadySince,
      createdAt,
      isTerminating,
      isStarted: isStarted(pod),
      stuck: stuckOf(pod, unreadySince),
      restarts: (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0),
      node: spec?.nodeName,
      hostIP: status?.hostIP,
      configHash: notes?.[annotations.configHash],
      secretHash: notes?.[annotations.secretHash],
      isRestartRequested: isAnnotated(metadata, annotations.manualRestart),
      isRebuildRequested: isAnnotated(metadata, annotations.deletePodAndClaim),
      component: {},
    },
  ];
}

function isStarted({ status }: AnyPod): boolean {
  const containers = status?.containerStatuses ?? [];
  return containers.length > 0 && containers.every(({ state, started }) => state?.running && started !== false);
}

/** Reasons of waiting containers that do not go away without a change. */
const stuckReasons: ReadonlySet<string> = new Set([
  "CrashLoopBackOff",
  "ImagePullBackOff",
  "ErrImagePull",
  "InvalidImageName",
  "CreateContainerConfigError",
]);

/** Returns why a pod that is not ready cannot start; undefined if it may still start. */
export function stuckOf({ status }: AnyPod, unreadySince: number | undefined): StuckState | undefined {
  if (unreadySince === undefined) return undefined;
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False" && scheduled.reason === "Unschedulable")
    return {
      reason: "Unschedulable",
      detail: scheduled.message,
      since: timeOf(scheduled.lastTransitionTime) ?? unreadySince,
    };
  for (const { state } of status?.containerStatuses ?? []) {
    const { reason = "", message: detail } = state?.waiting ?? {};
    if (stuckReasons.has(reason)) return { reason, detail, since: unreadySince };
  }
  return undefined;
}

/** Returns the claims of a cluster. `pods` are all pods of the cluster, also those of no StatefulSet. */
export function claimsOf(
  cluster: string,
  { claims, pods }: { readonly claims: readonly AnyClaim[]; readonly pods: readonly AnyPod[] },
): readonly ObservedClaim[] {
  const mounted = new Set(pods.flatMap(mountedClaims));
  return claims.flatMap((claim) => {
    const { metadata, spec, status } = claim;
    const { name = "", uid = "" } = metadata;
    const owner = claimOwner(cluster, name);
    if (owner === undefined) return [];
    const condition = (expected: string) =>
      status?.conditions?.find(({ type, status: is }) => type === expected && is === "True");
    const pending = condition("FileSystemResizePending");
    const controllers = Number(metadata.annotations?.[annotations.retainedControllers]);
    return [
      {
        ...owner,
        name,
        uid,
        request: spec?.resources?.requests?.["storage"]?.toString() ?? "0",
        capacity: status?.capacity?.["storage"]?.toString(),
        isResizing: condition("Resizing") !== undefined,
        fileSystemResizeSince: pending && (timeOf(pending.lastTransitionTime) ?? 0),
        isTerminating: metadata.deletionTimestamp !== undefined,
        isMounted: mounted.has(name),
        isRetired: metadata.annotations?.[annotations.retiredAt] !== undefined,
        isRetained: metadata.labels?.[labels.retainedFrom] !== undefined,
        retainedControllers: Number.isSafeInteger(controllers) && controllers > 0 ? controllers : undefined,
      },
    ];
  });
}

/** Returns the names of the claims that a pod mounts. */
export function mountedClaims({ spec }: AnyPod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => (claim ? [claim.claimName] : []));
}
