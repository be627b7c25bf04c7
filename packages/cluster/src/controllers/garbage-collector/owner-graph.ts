import type { DeepReadonly, KubeObject, OwnerReference } from "@homeostat/core";

/** An object as the collector sees it. */
export interface GraphObject {
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for an object that has none. */
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly owners: readonly DeepReadonly<OwnerReference>[];
  readonly finalizers: readonly string[];
  readonly isBeingDeleted: boolean;
  /** Whether it is being deleted and stays until those that it owns are gone. */
  readonly isForeground: boolean;
  /** Whether it is being deleted and stays until those that it owns are let go. */
  readonly isOrphaning: boolean;
}

/** A reference to an owner that lives in another namespace, where it cannot own anything. */
export interface Misplaced {
  readonly dependent: GraphObject;
  readonly owner: DeepReadonly<OwnerReference>;
}

/** What follows from a change of the graph. */
export interface GraphEffects {
  /** Uids of objects that may have to go, or that may have waited long enough. */
  readonly look: ReadonlySet<string>;
  /** Uids of objects that are to let go of those they own. */
  readonly orphan: ReadonlySet<string>;
  readonly misplaced: readonly Misplaced[];
}

/** How an owner reference relates to what the graph knows. */
export type OwnerView =
  /** The owner is known and is the one that the reference describes. */
  | "present"
  /** The owner is known, and stays until those that it owns are gone. */
  | "waiting"
  /** An object with this uid is not known. */
  | "unknown"
  /** The object with this uid has another name or kind, or is of another namespace. */
  | "other";

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

/** Reads what the collector needs out of an object's metadata. */
export function graphObject(
  kind: { readonly apiVersion: string; readonly kind: string },
  { metadata }: DeepReadonly<KubeObject>,
): GraphObject {
  const {
    uid = "",
    name = "",
    namespace = "",
    ownerReferences = [],
    finalizers = [],
    deletionTimestamp,
    resourceVersion = "",
  } = metadata;
  const isBeingDeleted = deletionTimestamp !== undefined;
  return {
    ...kind,
    uid,
    namespace,
    name,
    resourceVersion,
    owners: ownerReferences,
    finalizers,
    isBeingDeleted,
    isForeground: isBeingDeleted && finalizers.includes(foregroundFinalizer),
    isOrphaning: isBeingDeleted && finalizers.includes(orphanFinalizer),
  };
}

/**
 * Who owns whom, by uid, among all objects that were seen.
 *
 * It asks nobody. An owner that it does not know may exist all the same: the watches of two kinds do not keep step. So
 * what it says is where to look, never what to delete.
 */
export class OwnerGraph {
  readonly #objects = new Map<string, GraphObject>();
  readonly #dependents = new Map<string, Set<string>>();

  get size(): number {
    return this.#objects.size;
  }

  get(uid: string): GraphObject | undefined {
    return this.#objects.get(uid);
  }

  /** The known objects that name this uid as an owner. */
  dependentsOf(uid: string): readonly GraphObject[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#objects.get(dependent) ?? []);
  }

  /** Those of them that keep a foreground deletion waiting. */
  blockersOf(uid: string): readonly GraphObject[] {
    return this.dependentsOf(uid).filter(({ owners }) =>
      owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
  }

  /** How a reference relates to what is known. */
  view(reference: DeepReadonly<OwnerReference>, { namespace }: GraphObject): OwnerView {
    const owner = this.#objects.get(reference.uid);
    if (owner === undefined) return "unknown";
    const isDescribed =
      owner.name === reference.name && owner.kind === reference.kind && owner.apiVersion === reference.apiVersion;
    if (!isDescribed || (owner.namespace !== "" && owner.namespace !== namespace)) return "other";
    return owner.isForeground ? "waiting" : "present";
  }

  /** Whether there may be anything to do about an object. */
  needsLook(object: GraphObject): boolean {
    if (object.isBeingDeleted) return object.isForeground;
    return object.owners.some((owner) => this.view(owner, object) !== "present");
  }

  /** An object was made or has changed. */
  put(object: GraphObject): GraphEffects {
    const effects = new Effects();
    const before = this.#objects.get(object.uid);
    this.#objects.set(object.uid, object);
    this.#relink(object, before);
    this.#unblock(object, before, effects);
    const known = new Set(before?.owners.map(({ uid }) => uid));
    const added = object.owners.filter(({ uid }) => !known.has(uid));
    if (added.some((owner) => this.view(owner, object) !== "present")) effects.look.add(object.uid);
    for (const owner of added) this.#noteMisplaced(object, owner, effects);
    if (before === undefined) this.#introduce(object, effects);
    if (object.isOrphaning && before?.isOrphaning !== true) effects.orphan.add(object.uid);
    else if (object.isForeground && before?.isForeground !== true) {
      for (const { uid } of this.dependentsOf(object.uid)) effects.look.add(uid);
      effects.look.add(object.uid);
    }
    return effects;
  }

  /** An object is gone. */
  remove(uid: string): GraphEffects {
    const effects = new Effects();
    const object = this.#objects.get(uid);
    if (object === undefined) return effects;
    this.#objects.delete(uid);
    for (const owner of object.owners) this.#unlink(owner.uid, uid);
    for (const dependent of this.dependentsOf(uid)) effects.look.add(dependent.uid);
    for (const owner of object.owners) {
      if (this.#objects.get(owner.uid)?.isForeground === true) effects.look.add(owner.uid);
    }
    return effects;
  }

  /** Forgets all objects of a kind, which says nothing about those that they own. */
  forgetKind({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): void {
    for (const object of this.#objects.values()) {
      if (object.kind !== kind || object.apiVersion !== apiVersion) continue;
      this.#objects.delete(object.uid);
      for (const owner of object.owners) this.#unlink(owner.uid, object.uid);
    }
  }

  /** An owner that others have named before it was seen itself. */
  #introduce(owner: GraphObject, effects: Effects): void {
    for (const dependent of this.dependentsOf(owner.uid)) {
      const reference = dependent.owners.find(({ uid }) => uid === owner.uid);
      if (reference === undefined || this.view(reference, dependent) !== "other") continue;
      effects.look.add(dependent.uid);
      this.#noteMisplaced(dependent, reference, effects);
    }
  }

  #noteMisplaced(dependent: GraphObject, owner: DeepReadonly<OwnerReference>, effects: Effects): void {
    const known = this.#objects.get(owner.uid);
    if (known === undefined || known.namespace === "" || known.namespace === dependent.namespace) return;
    effects.misplaced.push({ dependent, owner });
  }

  /** Owners that this object held up and holds up no more. */
  #unblock(object: GraphObject, before: GraphObject | undefined, effects: Effects): void {
    for (const was of before?.owners ?? []) {
      if (was.blockOwnerDeletion !== true) continue;
      const is = object.owners.find(({ uid }) => uid === was.uid);
      if (is?.blockOwnerDeletion !== true && this.#objects.has(was.uid)) effects.look.add(was.uid);
    }
  }

  #relink(object: GraphObject, before: GraphObject | undefined): void {
    for (const owner of before?.owners ?? []) this.#unlink(owner.uid, object.uid);
    for (const owner of object.owners) {
      const dependents = this.#dependents.get(owner.uid);
      if (dependents === undefined) this.#dependents.set(owner.uid, new Set([object.uid]));
      else dependents.add(object.uid);
    }
  }

  #unlink(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(dependent);
    if (dependents?.size === 0) this.#dependents.delete(owner);
  }
}

class Effects implements GraphEffects {
  readonly look: Set<string> = new Set();
  readonly orphan: Set<string> = new Set();
  readonly misplaced: Misplaced[] = [];
}
