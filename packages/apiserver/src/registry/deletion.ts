import { formatTime, type KubeObject, type ObjectMeta, parseTime } from "@homeostat/core";

/** What becomes of what an object owns. */
export type Propagation = "Orphan" | "Background" | "Foreground";

/** How somebody wants an object deleted. */
export interface DeletionWish {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagation?: Propagation | undefined;
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
}

/** What a deletion comes to. */
export type Deletion =
  /** The object goes now. */
  | { readonly type: "remove" }
  /** It stays for a while, marked: with finalizers to be worked off, or time to end by itself. */
  | { readonly type: "mark"; readonly object: KubeObject }
  /** It is on its way out already, and nothing about that changes. */
  | { readonly type: "pending" }
  /** It is not the object that was meant; `detail` says why, in the server's words. */
  | { readonly type: "refused"; readonly detail: string };

/** How a kind is deleted. */
export interface DeletionRules {
  /** How long the object may take to end by itself when nobody says otherwise; undefined where there is no such time. */
  readonly graceSeconds: number | undefined;
  readonly now: number;
}

const orphan = "orphan";
const foreground = "foregroundDeletion";

/** Decides what a deletion comes to. Pure; the object given is left as it is. */
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

/** Whether an object that is being deleted can go: nobody has to do anything about it any more, and its time is up. */
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

/** The finalizers with those of the garbage collector as the wish has them; without a wish, as they are. */
function propagated(finalizers: readonly string[], propagation: Propagation | undefined): readonly string[] {
  if (propagation === undefined) return finalizers;
  const others = finalizers.filter((name) => name !== orphan && name !== foreground);
  if (propagation === "Orphan") return [...others, orphan];
  return propagation === "Foreground" ? [...others, foreground] : others;
}

type Timing =
  /** No time is given, or it is over. */
  | { readonly type: "now" }
  /** Time was given before, and stays as it was. */
  | { readonly type: "waiting" }
  | { readonly type: "set"; readonly metadata: ObjectMeta };

function graceful(metadata: ObjectMeta, { wish, graceSeconds, now }: { wish: DeletionWish } & DeletionRules): Timing {
  if (graceSeconds === undefined) return { type: "now" };
  const { deletionTimestamp, deletionGracePeriodSeconds: before } = metadata;
  // Less than nothing is one second; that is how the real server reads it.
  const wished = wish.gracePeriodSeconds === undefined ? undefined : Math.max(wish.gracePeriodSeconds, -1);
  const seconds = wished === -1 ? 1 : (wished ?? graceSeconds);
  if (deletionTimestamp === undefined) {
    if (seconds === 0) return { type: "now" };
    return { type: "set", metadata: begun(metadata, now + seconds * 1000, seconds) };
  }
  if (before === undefined || seconds === 0) return { type: "now" };
  // Time that was given can only be made shorter.
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

/** Metadata of an object whose deletion has begun: it goes by `due`. */
function begun(metadata: ObjectMeta, due: number, seconds: number): ObjectMeta {
  const { generation } = metadata;
  return {
    ...metadata,
    deletionTimestamp: formatTime(due),
    deletionGracePeriodSeconds: seconds,
    ...(generation === undefined || generation === 0 ? {} : { generation: generation + 1 }),
  };
}

/** Metadata of an object that only its finalizers keep. */
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
