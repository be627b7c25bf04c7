// Syncs that repeat an earlier one.
//
//   inputs, primary object, live objects as in an earlier sync that found nothing to do ──> nothing to do: no object is built, parsed or compared
//   any of them differs, an owned object was added, or an apply is due                  ──> a complete sync
//
// The comparison of an object is a function of the desired object and the live one. The desired objects follow from the inputs and the primary object, and
// UID and resource version identify the content of a live object.

import type { KubeObject, Stored } from "@homeostat/core";
import { LruMap } from "../events/lru-map.ts";
import { nameOf } from "../writes/live.ts";
import { ownerIndex } from "../writes/reconcile-scope.ts";
import {
  type DesiredObject,
  idOf,
  isSameKind,
  keyOfDesired,
  nameIn,
  type ObjectOutcome,
  type ObjectRef,
} from "./desired.ts";
import type { SyncOptions } from "./managed-objects.ts";
import type { ManagedInformer } from "./managed-set.ts";
import type { ReapplyTime } from "./reapply.ts";
import type { ManagedScope } from "./write-object.ts";

/** Everything that the result of a sync depends on, except the live objects. */
export interface SyncInputs {
  /** UID and resource version of the primary object. */
  readonly owner: string;
  /** `SyncOptions.inputs`, with the other options that decide which objects are desired, kept or applied again. */
  readonly inputs: string;
}

/** An object with the UID and resource version that it had. */
export interface SettledObject extends ObjectRef {
  readonly version: string;
}

/** A set in which a sync found nothing to do. */
export interface SettledSet extends SyncInputs {
  /** The desired objects. */
  readonly desired: readonly SettledObject[];
  /** Owned objects that are neither desired nor pruned. */
  readonly others: readonly SettledObject[];
  /** Number of owned objects of the kinds that are pruned. */
  readonly ownedCount: number;
  /** Time of the sync, in milliseconds since 1970. */
  readonly syncedAt: number;
  /** Time at which the first object is to be applied again. */
  readonly reapplyAt: number;
}

/** Remembers one settled set per primary object, until a later sync of it replaces the set or the object is deleted. Keeps versions, no contents. */
export class SettledSets {
  readonly #sets: LruMap<string, SettledSet>;

  constructor({ ownersMax = 100_000 }: { readonly ownersMax?: number } = {}) {
    this.#sets = new LruMap(ownersMax);
  }

  /**
   * Returns the remembered set of a primary object; undefined if its inputs were different, if one of its objects is to be applied again, or if the
   * clock was set back since, so that this time is not known.
   */
  find(key: string, { owner, inputs }: SyncInputs, nowMs: number): SettledSet | undefined {
    const known = this.#sets.get(key);
    if (known === undefined || known.owner !== owner || known.inputs !== inputs) return undefined;
    return nowMs < known.syncedAt || nowMs >= known.reapplyAt ? undefined : known;
  }

  remember(key: string, set: SettledSet): void {
    this.#sets.set(key, set);
  }

  /** Drops the set of a primary object that was deleted. */
  forget(key: string): void {
    this.#sets.delete(key);
  }

  /** Number of remembered sets. */
  get size(): number {
    return this.#sets.size;
  }
}

/** The primary object of a sync with its managed kinds. */
interface SetScope {
  readonly scope: Pick<ManagedScope, "settledSets" | "reapplies" | "key" | "object">;
  readonly kinds: readonly ManagedInformer[];
}

/** Returns what a sync depends on; undefined if it has no inputs, or deletes objects of kinds that are not cached. */
export function inputsOf(
  { metadata: { uid, resourceVersion } }: Stored<KubeObject>,
  { inputs, reapplyMs = 0, keep = [], remove = [] }: Pick<SyncOptions, "inputs" | "reapplyMs" | "keep" | "remove">,
): SyncInputs | undefined {
  if (inputs === undefined || remove.length > 0) return undefined;
  return { owner: `${uid}/${resourceVersion}`, inputs: [inputs, reapplyMs, ...keep.map(idOf)].join("\n") };
}

/** Returns the set that an earlier sync with the same inputs found to be settled, unless a live object has changed or an object was added since. */
export function findSettled({ scope, kinds }: SetScope, inputs: SyncInputs, nowMs: number): SettledSet | undefined {
  const known = scope.settledSets.find(scope.key, inputs, nowMs);
  if (known === undefined) return undefined;
  const isSame = ({ type, key, version }: SettledObject): boolean =>
    kinds.find(({ kind }) => isSameKind(kind.type, type))?.informer?.versionOf(key) === version;
  if (!known.desired.every(isSame) || !known.others.every(isSame)) return undefined;
  // All objects that were owned still are, so an additional one increases the number.
  let ownedCount = 0;
  for (const { kind, informer } of kinds) {
    if (informer !== undefined && kind.rules.prune)
      ownedCount += informer.countBy(ownerIndex, scope.object.metadata.uid);
  }
  return ownedCount === known.ownedCount ? known : undefined;
}

/** Input of {@link settledSet}. */
interface SyncedSet {
  readonly inputs: SyncInputs;
  readonly objects: readonly { readonly desired: DesiredObject; readonly outcome: ObjectOutcome | undefined }[];
  readonly time: ReapplyTime;
}

/** Returns the set to remember after a sync; undefined if a desired object was written, failed, or is of a kind that is not cached. */
export function settledSet({ scope, kinds }: SetScope, { inputs, objects, time }: SyncedSet): SettledSet | undefined {
  const desired: SettledObject[] = [];
  for (const { desired: one, outcome } of objects) {
    const isCached = kinds.some(({ kind, informer }) => informer !== undefined && isSameKind(kind.type, one.type));
    if (outcome?.result !== "unchanged" || !isCached || one.observed !== undefined) return undefined;
    desired.push({ type: one.type, key: keyOfDesired(one.object), version: versionOf(outcome.live) });
  }
  const ids = new Set(desired.map(idOf));
  const others: SettledObject[] = [];
  let ownedCount = 0;
  for (const { kind, informer } of kinds) {
    if (informer === undefined || !kind.rules.prune) continue;
    for (const owned of informer.by(ownerIndex, scope.object.metadata.uid)) {
      ownedCount += 1;
      const other = { type: kind.type, key: nameOf(owned), version: versionOf(owned) };
      if (!ids.has(idOf(other))) others.push(other);
    }
  }
  const names = objects.map(({ desired: one }) => nameIn(one));
  const reapplyAt = scope.reapplies.nextDueMs(names, time);
  return { ...inputs, desired, others, ownedCount, syncedAt: time.nowMs, reapplyAt };
}

/** Returns UID and resource version of an object in the form of `Informer.versionOf`. */
function versionOf({ metadata: { uid, resourceVersion } }: Stored<KubeObject>): string {
  return `${uid}/${resourceVersion}`;
}
