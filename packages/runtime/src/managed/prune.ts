import {
  asStored,
  ConflictError,
  type KubeObject,
  type ObjectKey,
  removeOwnerReference,
  type ResourceType,
  type Stored,
} from "@homeostat/core";
import type { Propagation } from "@homeostat/client";
import { isNotFound, nameOf, attemptsMax } from "../writes/live.ts";
import type { ManagedScope } from "./write-object.ts";

/** A managed object with its kind. */
export interface OwnedObject {
  readonly type: ResourceType;
  readonly object: Stored<KubeObject>;
}

/**
 * Deletes an object if it belongs to the owner. Returns `"deleting"` for an object that still exists afterwards, because it has finalizers.
 *
 * The request has preconditions on UID and resource version. It can therefore not delete another object of the same name, nor an object whose owner
 * has changed since it was read.
 */
export async function deleteObject(
  scope: ManagedScope,
  { type, object }: OwnedObject,
  propagation: Propagation,
): Promise<"deleted" | "deleting" | "absent"> {
  const { client, ownership, object: owner, signal } = scope;
  const key = nameOf(object);
  let known: Stored<KubeObject> | undefined = object;
  for (let attempt = 1; ; attempt += 1) {
    if (known === undefined || !ownership.owns(owner, known)) return "absent";
    const { uid, resourceVersion, deletionTimestamp } = known.metadata;
    if (deletionTimestamp !== undefined) return "deleting";
    try {
      const preconditions = { uid, resourceVersion };
      const { wasFound, object: left } = await client.delete(type, key, { preconditions, propagation, signal });
      if (!wasFound) return "absent";
      return left?.metadata.deletionTimestamp === undefined ? "deleted" : "deleting";
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === attemptsMax) throw error;
      known = await readLive(scope, type, key);
    }
  }
}

/**
 * Removes the owner reference from an object, so that the garbage collector keeps it when the owner is deleted.
 *
 * A merge patch replaces the list as a whole. The resource version in it keeps a reference that another controller adds at the same
 * time from being lost: the API server then rejects the patch, and it is computed again from the live object.
 */
export async function releaseObject(scope: ManagedScope, { type, object }: OwnedObject): Promise<void> {
  const { client, object: owner, fieldManager, signal } = scope;
  const key = nameOf(object);
  let known: Stored<KubeObject> | undefined = object;
  for (let attempt = 1; known !== undefined; attempt += 1) {
    const released: Stored<KubeObject> = removeOwnerReference(owner, known);
    if (released === known) return;
    const { resourceVersion, ownerReferences = [] } = released.metadata;
    try {
      const merge = { metadata: { resourceVersion, ownerReferences } };
      await client.patch(type, key, { merge }, { fieldManager, signal });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!(error instanceof ConflictError) || attempt === attemptsMax) throw error;
      known = await readLive(scope, type, key);
    }
  }
}

/** Reads an object from the API server. */
export async function readLive(
  { client, signal }: Pick<ManagedScope, "client" | "signal">,
  type: ResourceType,
  key: ObjectKey,
): Promise<Stored<KubeObject> | undefined> {
  const live = await client.get(type, key, { signal });
  return live === undefined ? undefined : asStored(live);
}
