// The inventory says of which kinds an owner may have managed objects: an annotation of the owner, as kubectl's ApplySets have it. It is
// widened before the first object of a kind is created and narrowed after the last is gone, so it never says less than there is, whatever
// crashes in between. By it a later version of an operator finds objects of kinds that it does not manage any more.

import { ConflictError, type KubeObject, type ResourceType, type Stored } from "@homeostat/core";
import { isNotFound, nameOf, readLive, attemptsMax } from "../writes/live.ts";
import type { ManagedScope } from "./write-object.ts";

/** Returns the name of a kind in an inventory: `Deployment.apps`, `Service`. */
export function groupKindOf({ group, kind }: Pick<ResourceType, "group" | "kind">): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** Returns the kinds that an owner's inventory names. */
export function inventoryOf(
  { metadata: { annotations = {} } }: Stored<KubeObject>,
  annotation: string,
): readonly string[] {
  const text = Object.hasOwn(annotations, annotation) ? (annotations[annotation] ?? "") : "";
  return text.split(",").flatMap((kind) => (kind.trim() === "" ? [] : [kind.trim()]));
}

/** Writes the inventory of the owner, unless it says so already. An owner that is gone, or being deleted, is left alone. */
export async function writeInventory(
  scope: ManagedScope,
  annotation: string,
  kinds: (recorded: readonly string[]) => Iterable<string>,
): Promise<void> {
  const { client, type, fieldManager, signal } = scope;
  let owner: Stored<KubeObject> | undefined = scope.newestOwner();
  for (let attempt = 1; owner !== undefined; attempt += 1) {
    const recorded = inventoryOf(owner, annotation);
    const next = [...new Set(kinds(recorded))].toSorted();
    if (next.join() === recorded.toSorted().join() || owner.metadata.deletionTimestamp !== undefined) return;
    const { resourceVersion } = owner.metadata;
    try {
      const merge = { metadata: { resourceVersion, annotations: { [annotation]: next.join(",") } } };
      await client.patchUnread(type, nameOf(owner), { merge }, { fieldManager, signal });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!(error instanceof ConflictError) || attempt === attemptsMax) throw error;
      owner = await readLive(scope, attempt);
    }
  }
}
