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

/** How an object stands to the one that wants it. */
export type Standing =
  /** There is none of that name. */
  | "absent"
  /** It belongs to it, by uid. */
  | "ours"
  /** It belongs to it, and is being deleted. */
  | "leaving"
  /** It belongs to somebody else, or to nobody. */
  | "foreign";

/** The uid of the controller of an object: what owned objects are found by. */
export const ownerUidOf: {
  (object: AnyObject): string | undefined;
  ofOwners(owners: readonly DeepReadonly<OwnerReference>[]): string | undefined;
} = Object.assign((object: AnyObject) => controllerOf(object)?.uid, {
  ofOwners: (owners: readonly DeepReadonly<OwnerReference>[]) =>
    owners.find(({ controller }) => controller === true)?.uid,
});

/** How an object, or its absence, stands to an owner. */
export function standingOf(object: AnyObject | undefined, owner: AnyObject): Standing {
  if (object === undefined) return "absent";
  const { uid } = owner.metadata;
  if (uid === undefined || ownerUidOf(object) !== uid) return "foreign";
  return object.metadata.deletionTimestamp === undefined ? "ours" : "leaving";
}

/** The error for an object of which `standingOf` says that it must be left alone. */
export function refusal(object: AnyObject, owner: AnyObject): NotOwnedError | BeingDeletedError {
  const name = describe(object);
  if (standingOf(object, owner) === "leaving") {
    return new BeingDeletedError({ object: name, finalizers: object.metadata.finalizers ?? [] });
  }
  const current = controllerOf(object);
  const isPredecessor =
    object.metadata.deletionTimestamp !== undefined || (current !== undefined && isNamesake(current, owner));
  return new NotOwnedError({ object: name, wantedBy: describe(owner), owner: current, isPredecessor });
}

/** `Deployment default/web` */
export function describe({ kind, metadata: { namespace = "", name = "" } }: AnyObject): string {
  return `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
}

/** The key of an owned object: in the namespace of its owner unless it says otherwise. */
export function ownedKey(
  { name, namespace }: { name: string; namespace?: string | undefined },
  owner: AnyObject,
): ObjectKey {
  const place = namespace ?? owner.metadata.namespace ?? "";
  return place === "" ? { name } : { namespace: place, name };
}

/** Whether a reference is to an object of the same kind and name as another: deleted since, and made again. */
function isNamesake(reference: OwnerReference, { apiVersion, kind, metadata: { name } }: AnyObject): boolean {
  return reference.kind === kind && reference.name === name && groupOf(reference.apiVersion) === groupOf(apiVersion);
}

function groupOf(apiVersion: string): string | undefined {
  try {
    return parseApiVersion(apiVersion).group;
  } catch {
    // Anybody may have written it; then it is nobody's we know.
    return undefined;
  }
}
