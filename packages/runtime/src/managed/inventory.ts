// The inventory is an annotation of the owner that lists the kinds of which it may have managed objects, as in kubectl's ApplySets (KEP-3659).
// A kind is added before its first object is created, and removed after its last object was deleted. A crash in between therefore never makes it
// incomplete. A new owner with a finalizer gets both in one request. A later version of an operator uses the inventory to find objects of kinds that
// it does not manage any more.

import { ConflictError, type KubeObject, type ResourceType, type Stored } from "@homeostat/core";
import { isNotFound, nameOf, readLive, attemptsMax } from "../writes/live.ts";
import type { ManagedKind } from "../kinds/kinds.ts";
import type { ManagedScope } from "./write-object.ts";

/** Returns the name of a kind in an inventory: `Deployment.apps`, `Service`. */
export function groupKindOf({ group, kind }: Pick<ResourceType, "group" | "kind">): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** Returns the kinds in the inventory of an owner. */
export function inventoryOf(
  { metadata: { annotations = {} } }: Stored<KubeObject>,
  annotation: string,
): readonly string[] {
  const text = Object.hasOwn(annotations, annotation) ? (annotations[annotation] ?? "") : "";
  return text.split(",").flatMap((kind) => (kind.trim() === "" ? [] : [kind.trim()]));
}

/** Returns the annotation with the inventory of an owner that has none yet; empty without managed kinds or inventory. */
export function firstInventory(
  inventory: string | undefined,
  kinds: readonly ManagedKind[],
): Readonly<Record<string, string>> {
  const declared = declaredKinds(kinds);
  return inventory === undefined || declared.length === 0 ? {} : { [inventory]: declared.toSorted().join(",") };
}

/** Returns the kinds that a controller manages, in the format of the inventory. */
export function declaredKinds(kinds: readonly ManagedKind[]): readonly string[] {
  return kinds.filter(({ rules }) => !rules.retired).map(({ type }) => groupKindOf(type));
}

/** Writes the inventory of the owner if it changes. Does nothing if the owner was deleted or is being deleted. */
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
