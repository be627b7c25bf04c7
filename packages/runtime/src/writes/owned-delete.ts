import type { Propagation } from "@homeostat/client";
import { ConflictError, type DeepReadonly, type KubeObject, type ObjectKey, type ResourceType } from "@homeostat/core";
import { ownershipStateOf } from "./ownership.ts";
import type { ReconcileScope } from "./reconcile-scope.ts";

/** Input of {@link deleteOwned}. */
export interface DeleteInput {
  readonly scope: ReconcileScope;
  readonly type: ResourceType;
  readonly key: ObjectKey;
  /** The cached object; undefined if there is none. */
  readonly known: DeepReadonly<KubeObject> | undefined;
  readonly propagation: Propagation | undefined;
}

const attemptsMax = 4;

/**
 * Deletes an object if the primary object owns it. Resolves with `"absent"` when it does not exist or has another owner, and with `"leaving"` when it
 * is already being deleted.
 *
 * The request has preconditions on the UID and the resource version for which ownership was checked. It can therefore not delete another object of
 * the same name, nor an object whose owner has changed meanwhile.
 */
export async function deleteOwned(deleting: DeleteInput): Promise<"absent" | "leaving" | "deleted"> {
  const { scope, type, key, propagation = "Background" } = deleting;
  const { client, signal } = scope;
  let known = deleting.known;
  for (let attempt = 1; ; attempt += 1) {
    const state = ownershipStateOf(known, scope.object);
    if (known === undefined || state === "foreign" || state === "absent") return "absent";
    if (state === "leaving") return "leaving";
    const { uid, resourceVersion } = known.metadata;
    try {
      const { wasFound } = await client.delete(type, key, {
        preconditions: { uid, resourceVersion },
        propagation,
        signal,
      });
      return wasFound ? "deleted" : "absent";
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === attemptsMax) throw error;
      known = await client.get(type, key, { signal });
    }
  }
}
