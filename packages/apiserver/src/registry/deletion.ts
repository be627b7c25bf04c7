import { formatTime, type KubeObject, type ObjectMeta, parseTime } from "@homeostat/core";

/** Propagation policy: how the garbage collector handles the dependents of a deleted object. */
export type Propagation = "Orphan" | "Background" | "Foreground";

/** The options of a delete request that decide its outcome. */
export interface DeletionWish {
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
export function decideDeletion(object: KubeObject, wish: DeletionWish, { graceSeconds, now }: DeletionRules): Deletion {
  const detail = mismatch(object.metadata, wish.preconditions ?? {});
  if (detail !== undefined) return { type: "refused", detail };
  const finalizers = propagated(object.metadata.finalizers ?? [], wish.propagation);
  const timed = graceful(object.metadata, { wish, graceSeconds, now });
  const isKept = finalizers.length > 0;
  if (timed.type === "now" && !isKept) return { type: "remove" };
  const metadata = withFinalizers(metadataAfter(object.metadata, timed, { now, isKept }), finalizers);
  const isSame = timed.type !== "set" && sameMark(metadata, object.metadata);
  return isSame ? { type: "pending" } : { type: "mark", object: { ...object, metadata } };
}

/** Reports whether an object that is being deleted can be removed: no finalizers are left and the grace period is 0. */
export function isDeletionOver({ metadata }: KubeObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  return deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}

function mismatch(
  { uid = "", resourceVersion = "" }: ObjectMeta,
  wanted: NonNullable<DeletionWish["preconditions"]>,
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
function propagated(finalizers: readonly string[], propagation: Propagation | undefined): readonly string[] {
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

function graceful(metadata: ObjectMeta, { wish, graceSeconds, now }: { wish: DeletionWish } & DeletionRules): Timing {
  if (graceSeconds === undefined) return { type: "now" };
  const { deletionTimestamp, deletionGracePeriodSeconds: before } = metadata;
  // kube-apiserver treats a negative grace period as 1 second.
  const wished = wish.gracePeriodSeconds === undefined ? undefined : Math.max(wish.gracePeriodSeconds, -1);
  const seconds = wished === -1 ? 1 : (wished ?? graceSeconds);
  if (deletionTimestamp === undefined) {
    if (seconds === 0) return { type: "now" };
    return { type: "set", metadata: begun(metadata, now + seconds * 1000, seconds) };
  }
  if (before === undefined || seconds === 0) return { type: "now" };
  // A running grace period can only be shortened.
  if (wished === undefined || seconds >= before) return { type: "waiting" };
  const due = parseTime(deletionTimestamp) - before * 1000 + seconds * 1000;
  return {
    type: "set",
    metadata: { ...metadata, deletionTimestamp: formatTime(due), deletionGracePeriodSeconds: seconds },
  };
}

function metadataAfter(
  metadata: ObjectMeta,
  timed: Timing,
  { now, isKept }: { readonly now: number; readonly isKept: boolean },
): ObjectMeta {
  if (timed.type === "set") return timed.metadata;
  return timed.type === "waiting" ? metadata : marked(metadata, now, isKept);
}

/** Returns the metadata of an object whose deletion starts now and ends at `due`. The generation is incremented, as on kube-apiserver. */
function begun(metadata: ObjectMeta, due: number, seconds: number): ObjectMeta {
  const { generation } = metadata;
  return {
    ...metadata,
    deletionTimestamp: formatTime(due),
    deletionGracePeriodSeconds: seconds,
    ...(generation === undefined || generation === 0 ? {} : { generation: generation + 1 }),
  };
}

/** Returns the metadata of an object that is kept only by its finalizers. */
function marked(metadata: ObjectMeta, now: number, isKept: boolean): ObjectMeta {
  if (!isKept) return metadata;
  if (metadata.deletionTimestamp === undefined) return begun(metadata, now, 0);
  return metadata.deletionGracePeriodSeconds === 0 ? metadata : { ...metadata, deletionGracePeriodSeconds: 0 };
}

function withFinalizers(metadata: ObjectMeta, finalizers: readonly string[]): ObjectMeta {
  const { finalizers: _before, ...rest } = metadata;
  return finalizers.length === 0 ? rest : { ...rest, finalizers: [...finalizers] };
}

function sameMark(a: ObjectMeta, b: ObjectMeta): boolean {
  return (
    a.deletionTimestamp === b.deletionTimestamp &&
    a.deletionGracePeriodSeconds === b.deletionGracePeriodSeconds &&
    (a.finalizers ?? []).join("\n") === (b.finalizers ?? []).join("\n")
  );
}
