import type { LabelSelector, ResourceType, Stored, KubeObject, DeepReadonly } from "@homeostat/core";
import { ConflictError, InvalidError, NotFoundError } from "@homeostat/core";
import type { RecordedClient } from "@homeostat/runtime";
import { fieldManager } from "../common/parts.ts";
import { controllerOf, controllerReference, type Controlling } from "./ownership.ts";

/** What becomes of an object that an owner looks at. */
export type Claim = "keep" | "adopt" | "release" | "ignore";

/** What a claim is decided by. */
export interface ClaimRule<T extends KubeObject> {
  readonly owner: Controlling;
  readonly selector: LabelSelector;
  /** Which of those that the selector matches are meant. Default: all. */
  readonly isMeant?: (object: Stored<T>) => boolean;
}

/** Decides what becomes of an object: its controller keeps it while it matches, and takes those that have none. */
export function decideClaim<T extends KubeObject>(object: Stored<T>, rule: ClaimRule<T>): Claim {
  const { owner, selector, isMeant = () => true } = rule;
  const metadata: DeepReadonly<KubeObject>["metadata"] = object.metadata;
  const isMatch = selector.matches(metadata.labels ?? {}) && isMeant(object);
  const isOwnerGoing = owner.object.metadata.deletionTimestamp !== undefined;
  const controller = controllerOf(object);
  if (controller !== undefined) {
    if (controller.uid !== owner.object.metadata.uid) return "ignore";
    if (isMatch) return "keep";
    return isOwnerGoing ? "ignore" : "release";
  }
  if (isOwnerGoing || !isMatch || metadata.deletionTimestamp !== undefined) return "ignore";
  return "adopt";
}

/** How claims are carried out. */
export interface ClaimParts<T extends KubeObject> extends ClaimRule<T> {
  readonly type: ResourceType<T>;
  readonly client: RecordedClient;
  readonly signal: AbortSignal;
  /** A finalizer that adopted objects are given, and released ones lose. */
  readonly finalizer?: string;
  /** Reads the owner from the server: what is on its way out there adopts nothing. */
  readonly readOwner: () => Promise<DeepReadonly<KubeObject> | undefined>;
}

/** Those of the objects that belong to an owner, after adopting and releasing what is to be. */
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
        // Gone, or another one of that name: nobody's loss.
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
        mayAdopt ??= isStillThere(parts);
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

async function isStillThere<T extends KubeObject>({ owner, readOwner }: ClaimParts<T>): Promise<boolean> {
  const fresh = await readOwner();
  const { uid } = owner.object.metadata;
  return fresh?.metadata.uid === uid && fresh.metadata.deletionTimestamp === undefined;
}
