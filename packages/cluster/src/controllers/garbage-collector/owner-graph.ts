import type { DeepReadonly, KubeObject, OwnerReference } from "@homeostat/core";

/** A node of the owner graph: the metadata that the garbage collector needs. */
export interface GraphObject {
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly owners: readonly DeepReadonly<OwnerReference>[];
  readonly finalizers: readonly string[];
  readonly isBeingDeleted: boolean;
  /**
   * True if it is being deleted and has the `foregroundDeletion` finalizer: it stays until its dependents are
   * deleted.
   */
  readonly isForeground: boolean;
  /**
   * True if it is being deleted and has the `orphan` finalizer: it stays until its dependents no longer name it as an
   * owner.
   */
  readonly isOrphaning: boolean;
}

/** An owner reference to an object in another namespace, which is invalid. */
export interface Misplaced {
  readonly dependent: GraphObject;
  readonly owner: DeepReadonly<OwnerReference>;
}

/** The work that follows from a change of the graph. */
export interface GraphEffects {
  /** Uids of objects that may have to be deleted, or whose foreground deletion may be complete. */
  readonly attemptDelete: ReadonlySet<string>;
  /** Uids of objects whose dependents must be orphaned. */
  readonly orphan: ReadonlySet<string>;
  readonly misplaced: readonly Misplaced[];
}

/** State of an owner reference according to the graph. */
export type OwnerView =
  /** The graph has the owner, and it matches the reference. */
  | "present"
  /** The graph has the owner, and it is being deleted in the foreground. */
  | "waiting"
  /** The graph has no object with this uid. */
  | "unknown"
  /** The object with this uid has another name, kind or namespace than the reference. */
  | "other";

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

/** Builds a graph node from the metadata of an object. */
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
 * A graph of owners and dependents by uid, built from watch events alone (`GraphBuilder` in graph_builder.go).
 *
 * It sends no requests. An owner that it does not have may exist all the same, because the watches of two kinds are
 * not ordered: it tells which objects to process, never which to delete.
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

  /** Returns the objects in the graph that have this uid as an owner. */
  dependentsOf(uid: string): readonly GraphObject[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#objects.get(dependent) ?? []);
  }

  /**
   * Returns the dependents that block a foreground deletion: those with `blockOwnerDeletion` on the reference to this
   * uid.
   */
  blockersOf(uid: string): readonly GraphObject[] {
    return this.dependentsOf(uid).filter(({ owners }) =>
      owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
  }

  /** Returns the state of an owner reference according to the graph. */
  view(reference: DeepReadonly<OwnerReference>, { namespace }: GraphObject): OwnerView {
    const owner = this.#objects.get(reference.uid);
    if (owner === undefined) return "unknown";
    const isDescribed =
      owner.name === reference.name && owner.kind === reference.kind && owner.apiVersion === reference.apiVersion;
    if (!isDescribed || (owner.namespace !== "" && owner.namespace !== namespace)) return "other";
    return owner.isForeground ? "waiting" : "present";
  }

  /** Reports whether the garbage collector may have to act on an object. */
  needsProcessing(object: GraphObject): boolean {
    if (object.isBeingDeleted) return object.isForeground;
    return object.owners.some((owner) => this.view(owner, object) !== "present");
  }

  /** Adds or updates an object. */
  put(object: GraphObject): GraphEffects {
    const effects = new Effects();
    const before = this.#objects.get(object.uid);
    this.#objects.set(object.uid, object);
    this.#relink(object, before);
    this.#queueUnblockedOwners(object, before, effects);
    const known = new Set(before?.owners.map(({ uid }) => uid));
    const added = object.owners.filter(({ uid }) => !known.has(uid));
    if (added.some((owner) => this.view(owner, object) !== "present")) effects.attemptDelete.add(object.uid);
    for (const owner of added) this.#recordMisplaced(object, owner, effects);
    if (before === undefined) this.#checkDependentsOf(object, effects);
    if (object.isOrphaning && before?.isOrphaning !== true) effects.orphan.add(object.uid);
    else if (object.isForeground && before?.isForeground !== true) {
      for (const { uid } of this.dependentsOf(object.uid)) effects.attemptDelete.add(uid);
      effects.attemptDelete.add(object.uid);
    }
    return effects;
  }

  /** Removes a deleted object. */
  remove(uid: string): GraphEffects {
    const effects = new Effects();
    const object = this.#objects.get(uid);
    if (object === undefined) return effects;
    this.#objects.delete(uid);
    for (const owner of object.owners) this.#unlink(owner.uid, uid);
    for (const dependent of this.dependentsOf(uid)) effects.attemptDelete.add(dependent.uid);
    for (const owner of object.owners) {
      if (this.#objects.get(owner.uid)?.isForeground === true) effects.attemptDelete.add(owner.uid);
    }
    return effects;
  }

  /**
   * Removes all objects of a deleted kind. This does not queue their dependents: the objects are not known to be
   * deleted.
   */
  forgetKind({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): void {
    for (const object of this.#objects.values()) {
      if (object.kind !== kind || object.apiVersion !== apiVersion) continue;
      this.#objects.delete(object.uid);
      for (const owner of object.owners) this.#unlink(owner.uid, object.uid);
    }
  }

  /**
   * Queues the dependents of a new object whose references do not match it. They were added before it (the "virtual"
   * owners of graph_builder.go).
   */
  #checkDependentsOf(owner: GraphObject, effects: Effects): void {
    for (const dependent of this.dependentsOf(owner.uid)) {
      const reference = dependent.owners.find(({ uid }) => uid === owner.uid);
      if (reference === undefined || this.view(reference, dependent) !== "other") continue;
      effects.attemptDelete.add(dependent.uid);
      this.#recordMisplaced(dependent, reference, effects);
    }
  }

  #recordMisplaced(dependent: GraphObject, owner: DeepReadonly<OwnerReference>, effects: Effects): void {
    const known = this.#objects.get(owner.uid);
    if (known === undefined || known.namespace === "" || known.namespace === dependent.namespace) return;
    effects.misplaced.push({ dependent, owner });
  }

  /** Queues the owners that this object blocked before and no longer blocks. */
  #queueUnblockedOwners(object: GraphObject, before: GraphObject | undefined, effects: Effects): void {
    for (const was of before?.owners ?? []) {
      if (was.blockOwnerDeletion !== true) continue;
      const is = object.owners.find(({ uid }) => uid === was.uid);
      if (is?.blockOwnerDeletion !== true && this.#objects.has(was.uid)) effects.attemptDelete.add(was.uid);
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
  readonly attemptDelete: Set<string> = new Set();
  readonly orphan: Set<string> = new Set();
  readonly misplaced: Misplaced[] = [];
}
