import { ArgumentError } from "../errors/argument-error.ts";
import type { KubeObject, ObjectMeta, OwnerReference } from "./object.ts";
import type { DeepReadonly } from "../value/deep-readonly.ts";
import { OwnerConflictError, OwnerScopeError } from "./owner-errors.ts";

/** An object that can be owned. */
export interface Ownable {
  readonly kind: string;
  readonly metadata: DeepReadonly<ObjectMeta>;
}

/** An object that can own others. It must be stored, so that it has a name and a UID. */
export type Owner = DeepReadonly<KubeObject>;

/** Options of {@link setControllerReference} and {@link setOwnerReference}. */
export interface OwnerReferenceOptions {
  /** Makes a foreground deletion of the owner wait until the object is deleted. Default true for a controller, false otherwise. */
  readonly blockOwnerDeletion?: boolean;
}

/**
 * Returns the object with `owner` as its controller, or the same object if it already is.
 *
 * Deleting the owner then deletes the object, and changes of the object trigger a reconcile of the owner. Throws an
 * {@link OwnerConflictError} if another owner is the controller, and an {@link OwnerScopeError} if the owner is in another
 * namespace than the object.
 */
export function setControllerReference<T extends Ownable>(
  owner: Owner,
  object: T,
  { blockOwnerDeletion = true }: OwnerReferenceOptions = {},
): T {
  const reference = { ...referenceTo(owner, object), controller: true, blockOwnerDeletion };
  const current = controllerOf(object);
  if (current !== undefined && current.uid !== reference.uid) {
    throw new OwnerConflictError({ object: describe(object), current, wanted: reference });
  }
  return withReference(object, reference);
}

/**
 * Returns the object with `owner` as one of its owners, or the same object if it already is.
 *
 * The object is deleted when the last of its owners is. If the owner already is the controller, it stays the controller. Throws an
 * {@link OwnerScopeError} if the owner is in another namespace than the object.
 */
export function setOwnerReference<T extends Ownable>(
  owner: Owner,
  object: T,
  { blockOwnerDeletion = false }: OwnerReferenceOptions = {},
): T {
  const reference = referenceTo(owner, object);
  const before = ownersOf(object).find(({ uid }) => uid === reference.uid);
  return withReference(object, {
    ...reference,
    ...(before?.controller === true ? { controller: true } : {}),
    ...(blockOwnerDeletion || before?.blockOwnerDeletion === true ? { blockOwnerDeletion: true } : {}),
  });
}

/** Returns the object without the reference to `owner`, or the same object if it has none. */
export function removeOwnerReference<T extends Ownable>(owner: Pick<Owner, "metadata">, object: T): T {
  const before = ownersOf(object);
  const { uid } = owner.metadata;
  const after = before.filter((reference) => reference.uid !== uid);
  return after.length === before.length ? object : withOwners(object, after);
}

/** Returns the reference to the controller of an object, undefined if it has none. */
export function controllerOf(object: Pick<Ownable, "metadata">): OwnerReference | undefined {
  const found = ownersOf(object).find(({ controller }) => controller === true);
  return found === undefined ? undefined : { ...found };
}

/**
 * Reports whether `owner` is one of the owners of an object.
 *
 * Compares UIDs only: an owner that was deleted and created again with the same name is another owner.
 */
export function isOwnedBy(object: Pick<Ownable, "metadata">, owner: Pick<Owner, "metadata">): boolean {
  const { uid } = owner.metadata;
  return uid !== undefined && uid !== "" && ownersOf(object).some((reference) => reference.uid === uid);
}

function ownersOf({ metadata }: Pick<Ownable, "metadata">): readonly DeepReadonly<OwnerReference>[] {
  return metadata.ownerReferences ?? [];
}

function referenceTo(owner: Owner, object: Ownable): OwnerReference {
  const { apiVersion, kind } = owner;
  const { name = "", uid = "", namespace = "" } = owner.metadata;
  if (name === "" || uid === "") {
    const problem = "has no name or no uid; only an object that was read from the server can be an owner.";
    throw new ArgumentError({ argument: "owner", problem });
  }
  if (uid === object.metadata.uid) {
    throw new ArgumentError({ argument: "owner", problem: "is the object itself; an object cannot own itself." });
  }
  const target = object.metadata.namespace ?? "";
  if (namespace !== "" && namespace !== target) {
    const scope = target === "" ? "cluster-scoped" : `in namespace ${target}`;
    throw new OwnerScopeError(
      `${kind} ${namespace}/${name} cannot own ${describe(object)}, which is ${scope}: a namespaced owner can only own objects in its own namespace. ` +
        `Set metadata.namespace to ${namespace}, or track the object with a label and a finalizer.`,
    );
  }
  return { apiVersion, kind, name, uid };
}

function withReference<T extends Ownable>(object: T, reference: OwnerReference): T {
  const before = ownersOf(object);
  const index = before.findIndex(({ uid }) => uid === reference.uid);
  const present = before[index];
  if (present === undefined) return withOwners(object, [...before, reference]);
  return isSameReference(present, reference) ? object : withOwners(object, before.with(index, reference));
}

function isSameReference(a: DeepReadonly<OwnerReference>, b: OwnerReference): boolean {
  return (
    a.apiVersion === b.apiVersion &&
    a.kind === b.kind &&
    a.name === b.name &&
    (a.controller ?? false) === (b.controller ?? false) &&
    (a.blockOwnerDeletion ?? false) === (b.blockOwnerDeletion ?? false)
  );
}

function withOwners<T extends Ownable>(object: T, ownerReferences: readonly DeepReadonly<OwnerReference>[]): T {
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function describe({ kind, metadata: { namespace = "", name = "", generateName = "" } }: Ownable): string {
  const shown = name === "" ? `${generateName}…` : name;
  return `${kind} ${namespace === "" ? shown : `${namespace}/${shown}`}`;
}
