import type { Propagation } from "@homeostat/client";
import { ConflictError, type DeepReadonly, type KubeObject, type ObjectKey, type ResourceType } from "@homeostat/core";
import { standingOf } from "./ownership.ts";
import type { RunScope } from "./reconcile-scope.ts";

/** One object to delete. */
export interface Deleting {
  readonly scope: RunScope;
  readonly type: ResourceType;
  readonly key: ObjectKey;
  /** The object as it is known. */
  readonly known: DeepReadonly<KubeObject> | undefined;
  readonly propagation: Propagation | undefined;
}

const triesMax = 4;

/**
 * Deletes an object if it is ours. Resolves with what became of it: `"absent"` also when it is somebody else's.
 *
 * The deletion is on condition of the uid and the version at which it was ours, so that it can never meet another object of
 * the same name, nor one that its owner has given away meanwhile.
 */
export async function deleteOwned(deleting: Deleting): Promise<"absent" | "leaving" | "deleted"> {
  const { scope, type, key, propagation = "Background" } = deleting;
  const { client, signal } = scope;
  let known = deleting.known;
  for (let tries = 1; ; tries += 1) {
    const standing = standingOf(known, scope.object);
    if (known === undefined || standing === "foreign" || standing === "absent") return "absent";
    if (standing === "leaving") return "leaving";
    const { uid, resourceVersion } = known.metadata;
    try {
      const { wasFound } = await client.delete(type, key, {
        preconditions: { uid, resourceVersion },
        propagation,
        signal,
      });
      return wasFound ? "deleted" : "absent";
    } catch (error) {
      if (!(error instanceof ConflictError) || tries === triesMax) throw error;
      known = await client.get(type, key, { signal });
    }
  }
}
