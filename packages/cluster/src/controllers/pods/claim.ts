import type { LabelSelector, ResourceType, Stored, KubeObject, DeepReadonly } from "@homeostat/core";
import { ConflictError, InvalidError, NotFoundError } from "@homeostat/core";
import type { RecordedClient } from "@homeostat/runtime";
import { fieldManager } from "../common/parts.ts";
import { controllerOf, controllerReference, type Controlling } from "./ownership.ts";

/** The decision about an object that an owner might control. */
export type Claim = "keep" | "adopt" | "release" | "ignore";

/** Input of the decision. */
export interface ClaimRule<T extends KubeObject> {
  readonly owner: Controlling;
  readonly selector: LabelSelector;
  /** Restricts the objects that the selector matches. Default: all of them. */
  readonly isEligible?: (object: Stored<T>) => boolean;
}

/**
 * Decides about an object, by the rules of `ClaimObject` in controller_ref_manager.go. The controller keeps its
 * objects while they match, releases those that no longer match, and adopts matching orphans. An owner that is being
 * deleted neither adopts nor releases, and an object that is being deleted is not adopted.
 */
export function decideClaim<T extends KubeObject>(object: Stored<T>, rule: ClaimRule<T>): Claim {
  const { owner, selector, isEligible = () => true } = rule;
  const metadata: DeepReadonly<KubeObject>["metadata"] = object.metadata;
  const isMatch = selector.matches(metadata.labels ?? {}) && isEligible(object);
  const isOwnerBeingDeleted = owner.object.metadata.deletionTimestamp !== undefined;
  const controller = controllerOf(object);
  if (controller !== undefined) {
    if (controller.uid !== owner.object.metadata.uid) return "ignore";
    if (isMatch) return "keep";
    return isOwnerBeingDeleted ? "ignore" : "release";
  }
  if (isOwnerBeingDeleted || !isMatch || metadata.deletionTimestamp !== undefined) return "ignore";
  return "adopt";
}

/** Dependencies of {@link claim}. */
export interface ClaimParts<T extends KubeObject> extends ClaimRule<T> {
  readonly type: ResourceType<T>;
  readonly client: RecordedClient;
  readonly signal: AbortSignal;
  /** Finalizer that is added on adoption and removed on release. */
  readonly finalizer?: string;
  /**
   * Reads the owner from the API server. The cached owner may be deleted already, and an object adopted for a deleted
   * owner would be garbage collected.
   */
  readonly readOwner: () => Promise<DeepReadonly<KubeObject> | undefined>;
}

/**
 * Adopts and releases objects, and returns those that belong to the owner afterwards. Each patch has the uid as a
 * precondition, so it cannot hit a new object of the same name. The owner is read from the API server at most once
 * per call, before the first adoption (`RecheckDeletionTimestamp`).
 */
export async function claim<T extends KubeObject>(
  objects: readonly Stored<T>[],
  parts: ClaimParts<T>,
): Promise<Stored<T>[]> {
  const { owner, type, client, signal, finalizer } = parts;
  const claimed: Stored<T>[] = [];
  let mayAdopt: Promise<boolean> | undefined;
  for (const object of objects) {
    const { uid, name, namespace }: DeepReadonly<KubeObject>["metadata"] = object.metadata;
    const patch = async (metadata: object): Promise<boolean> => {
      try {
        const strategic = { metadata: { ...metadata, uid } };
        await client.patch(type, { name: name ?? "", namespace }, { strategic }, { signal, fieldManager });
        return true;
      } catch (error) {
        // The object is deleted, or its name belongs to another object now.
        if (error instanceof NotFoundError || error instanceof InvalidError || error instanceof ConflictError)
          return false;
        throw error;
      }
    };
    switch (decideClaim(object, parts)) {
      case "keep":
        claimed.push(object);
        break;
      case "release":
        await patch({
          ownerReferences: [{ $patch: "delete", uid: owner.object.metadata.uid }],
          ...(finalizer === undefined ? {} : { "$deleteFromPrimitiveList/finalizers": [finalizer] }),
        });
        break;
      case "adopt": {
        mayAdopt ??= canOwnerAdopt(parts);
        if (!(await mayAdopt)) break;
        const isAdopted = await patch({
          ownerReferences: [controllerReference(owner)],
          ...(finalizer === undefined ? {} : { finalizers: [finalizer] }),
        });
        if (isAdopted) claimed.push(object);
        break;
      }
      case "ignore":
        break;
    }
  }
  return claimed;
}

async function canOwnerAdopt<T extends KubeObject>({ owner, readOwner }: ClaimParts<T>): Promise<boolean> {
  const fresh = await readOwner();
  const { uid } = owner.object.metadata;
  return fresh?.metadata.uid === uid && fresh.metadata.deletionTimestamp === undefined;
}
