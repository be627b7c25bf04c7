import {
  controllerOf,
  type DeepReadonly,
  type KubeObject,
  type ObjectKey,
  type OwnerReference,
  parseApiVersion,
} from "@homeostat/core";
import { BeingDeletedError, NotOwnedError } from "./errors.ts";

type AnyObject = DeepReadonly<KubeObject>;

/** Relation of an object to a primary object. UIDs are compared, so a recreated owner of the same name does not count. */
export type OwnershipState =
  /** The object does not exist. */
  | "absent"
  /** The primary object is its controller owner. */
  | "ours"
  /** The primary object is its controller owner, and the object is being deleted. */
  | "leaving"
  /** It has another controller owner, or none. */
  | "foreign";

/** Returns the UID of the controller owner of an object, the value of the owner index. `ofOwners` takes owner references instead. */
export const ownerUidOf: {
  (object: AnyObject): string | undefined;
  ofOwners(owners: readonly DeepReadonly<OwnerReference>[]): string | undefined;
} = Object.assign((object: AnyObject) => controllerOf(object)?.uid, {
  ofOwners: (owners: readonly DeepReadonly<OwnerReference>[]) =>
    owners.find(({ controller }) => controller === true)?.uid,
});

/** Returns the relation of an object to a primary object. */
export function ownershipStateOf(object: AnyObject | undefined, owner: AnyObject): OwnershipState {
  if (object === undefined) return "absent";
  const { uid } = owner.metadata;
  if (uid === undefined || ownerUidOf(object) !== uid) return "foreign";
  return object.metadata.deletionTimestamp === undefined ? "ours" : "leaving";
}

/** Returns the error for an object that is `foreign` or `leaving` and must not be changed. */
export function ownershipError(object: AnyObject, owner: AnyObject): NotOwnedError | BeingDeletedError {
  const name = describe(object);
  if (ownershipStateOf(object, owner) === "leaving") {
    return new BeingDeletedError({ object: name, finalizers: object.metadata.finalizers ?? [] });
  }
  const current = controllerOf(object);
  const isPredecessor =
    object.metadata.deletionTimestamp !== undefined || (current !== undefined && isNamesake(current, owner));
  return new NotOwnedError({ object: name, neededBy: describe(owner), owner: current, isPredecessor });
}

/** Formats an object for messages: `Deployment default/web`. */
export function describe({ kind, metadata: { namespace = "", name = "" } }: AnyObject): string {
  return `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
}

/** Returns the key of an owned object, by default in the namespace of its owner. */
export function ownedKey(
  { name, namespace }: { name: string; namespace?: string | undefined },
  owner: AnyObject,
): ObjectKey {
  const ownNamespace = namespace ?? owner.metadata.namespace ?? "";
  return ownNamespace === "" ? { name } : { namespace: ownNamespace, name };
}

/** Reports whether an owner reference has the group, kind and name of an object. With another UID, it refers to a deleted predecessor. */
function isNamesake(reference: OwnerReference, { apiVersion, kind, metadata: { name } }: AnyObject): boolean {
  return reference.kind === kind && reference.name === name && groupOf(reference.apiVersion) === groupOf(apiVersion);
}

function groupOf(apiVersion: string): string | undefined {
  try {
    return parseApiVersion(apiVersion).group;
  } catch {
    // Owner references are not validated this far; an invalid apiVersion matches no group.
    return undefined;
  }
}
