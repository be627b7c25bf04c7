import { formatTime, type KubeObject, type ObjectMeta, parseTime } from "@homeostat/core";

/** Propagation policy: how the garbage collector handles the dependents of a deleted object. */
export type Propagation = "Orphan" | "Background" | "Foreground";

/** The options of a delete request that decide its outcome. */
export interface DeletionRequest {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagation?: Propagation | undefined;
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
}

/** Outcome of {@link decideDeletion}. */
export type Deletion =
  /** The object is removed now. */
  | { readonly type: "remove" }
  /** The object is stored with a deletion timestamp, because it has finalizers or a grace period. */
  | { readonly type: "mark"; readonly object: KubeObject }
  /** The object is already being deleted, and the request changes nothing. */
  | { readonly type: "pending" }
  /** A precondition failed; `detail` is the message of kube-apiserver. */
  | { readonly type: "refused"; readonly detail: string };

/** Inputs of {@link decideDeletion} beside object and request. */
export interface DeletionRules {
  /** Default grace period of the object; undefined for kinds without graceful deletion. */
  readonly graceSeconds: number | undefined;
  readonly now: number;
}

const orphan = "orphan";
const foreground = "foregroundDeletion";

/**
 * Decides the outcome of a delete request, as `BeforeDelete` and `deletionFinalizersForGarbageCollection` of `k8s.io/apiserver` do.
 * Pure; the given object is not changed.
 */
export function decideDeletion(
  object: KubeObject,
  request: DeletionRequest,
  { graceSeconds, now }: DeletionRules,
): Deletion {
  const detail = preconditionProblem(object.metadata, request.preconditions ?? {});
  if (detail !== undefined) return { type: "refused", detail };
  const finalizers = withPropagation(object.metadata.finalizers ?? [], request.propagation);
  const timing = graceTiming(object.metadata, { request, graceSeconds, now });
  const isKept = finalizers.length > 0;
  if (timing.type === "now" && !isKept) return { type: "remove" };
  const metadata = withFinalizers(metadataAfter(object.metadata, timing, { now, isKept }), finalizers);
  const isSame = timing.type !== "set" && isSameDeletion(metadata, object.metadata);
  return isSame ? { type: "pending" } : { type: "mark", object: { ...object, metadata } };
}

/** Reports whether an object that is being deleted can be removed: no finalizers are left and the grace period is 0. */
export function isDeletionOver({ metadata }: KubeObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  return deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}

function preconditionProblem(
  { uid = "", resourceVersion = "" }: ObjectMeta,
  wanted: NonNullable<DeletionRequest["preconditions"]>,
): string | undefined {
  if (wanted.uid !== undefined && wanted.uid !== uid) {
    return `the UID in the precondition (${wanted.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
  }
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    return `the ResourceVersion in the precondition (${wanted.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
  }
  return undefined;
}

/** Returns the finalizers with the garbage collector's own ones set by the propagation policy; unchanged without a policy. */
function withPropagation(finalizers: readonly string[], propagation: Propagation | undefined): readonly string[] {
  if (propagation === undefined) return finalizers;
  const others = finalizers.filter((name) => name !== orphan && name !== foreground);
  if (propagation === "Orphan") return [...others, orphan];
  return propagation === "Foreground" ? [...others, foreground] : others;
}

type Timing =
  /** There is no grace period, or it was shortened to 0. */
  | { readonly type: "now" }
  /** An earlier request set a grace period, and this one does not shorten it. */
  | { readonly type: "waiting" }
  | { readonly type: "set"; readonly metadata: ObjectMeta };

function graceTiming(
  metadata: ObjectMeta,
  { request, graceSeconds, now }: { request: DeletionRequest } & DeletionRules,
): Timing {
  if (graceSeconds === undefined) return { type: "now" };
  const { deletionTimestamp, deletionGracePeriodSeconds: before } = metadata;
  // kube-apiserver treats a negative grace period as 1 second.
  const requested = request.gracePeriodSeconds === undefined ? undefined : Math.max(request.gracePeriodSeconds, -1);
  const seconds = requested === -1 ? 1 : (requested ?? graceSeconds);
  if (deletionTimestamp === undefined) {
    if (seconds === 0) return { type: "now" };
    return { type: "set", metadata: withDeletionTimestamp(metadata, now + seconds * 1000, seconds) };
  }
  if (before === undefined || seconds === 0) return { type: "now" };
  // A running grace period can only be shortened.
  if (requested === undefined || seconds >= before) return { type: "waiting" };
  const due = parseTime(deletionTimestamp) - before * 1000 + seconds * 1000;
  return {
    type: "set",
    metadata: { ...metadata, deletionTimestamp: formatTime(due), deletionGracePeriodSeconds: seconds },
  };
}

function metadataAfter(
  metadata: ObjectMeta,
  timing: Timing,
  { now, isKept }: { readonly now: number; readonly isKept: boolean },
): ObjectMeta {
  if (timing.type === "set") return timing.metadata;
  return timing.type === "waiting" ? metadata : keptByFinalizers(metadata, now, isKept);
}

/** Returns the metadata of an object whose deletion starts now and ends at `due`. The generation is incremented, as on kube-apiserver. */
function withDeletionTimestamp(metadata: ObjectMeta, due: number, seconds: number): ObjectMeta {
  const { generation } = metadata;
  return {
    ...metadata,
    deletionTimestamp: formatTime(due),
    deletionGracePeriodSeconds: seconds,
    ...(generation === undefined || generation === 0 ? {} : { generation: generation + 1 }),
  };
}

/** Returns the metadata of an object that is kept only by its finalizers. */
function keptByFinalizers(metadata: ObjectMeta, now: number, isKept: boolean): ObjectMeta {
  if (!isKept) return metadata;
  if (metadata.deletionTimestamp === undefined) return withDeletionTimestamp(metadata, now, 0);
  return metadata.deletionGracePeriodSeconds === 0 ? metadata : { ...metadata, deletionGracePeriodSeconds: 0 };
}

function withFinalizers(metadata: ObjectMeta, finalizers: readonly string[]): ObjectMeta {
  const { finalizers: _before, ...rest } = metadata;
  return finalizers.length === 0 ? rest : { ...rest, finalizers: [...finalizers] };
}

function isSameDeletion(a: ObjectMeta, b: ObjectMeta): boolean {
  return (
    a.deletionTimestamp === b.deletionTimestamp &&
    a.deletionGracePeriodSeconds === b.deletionGracePeriodSeconds &&
    (a.finalizers ?? []).join("\n") === (b.finalizers ?? []).join("\n")
  );
}
