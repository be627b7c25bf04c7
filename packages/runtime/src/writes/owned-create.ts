import { AlreadyExistsError, asStored, type KubeObject, type ObjectKey, type ResourceType } from "@homeostat/core";
import type { ObjectToSend } from "@homeostat/client";
import type { CreatedObject } from "../controller/context.ts";
import { refusal, standingOf } from "./ownership.ts";
import type { OwnedInformer, RunScope } from "./run-scope.ts";
import { placeOf } from "./write-recorder.ts";

/** One object to create. */
export interface Creating {
  readonly scope: RunScope;
  readonly type: ResourceType;
  readonly informer: OwnedInformer;
  readonly key: ObjectKey;
  /** With its owner; see `ownedConfig`. */
  readonly object: ObjectToSend<KubeObject>;
}

/** An object that vanishes just when it is looked at is tried once more. */
const triesMax = 2;

/**
 * Makes an object unless it is there.
 *
 * Its name is given, so when nobody knows what became of a request, the next run finds out: the object is there and ours, or
 * it is not there.
 */
export async function createOwned(creating: Creating): Promise<CreatedObject<KubeObject>> {
  const { scope, type, informer, key, object } = creating;
  const { client, journal, fieldManager, signal } = scope;
  const cached = informer.get(key);
  const standing = standingOf(cached, scope.object);
  if (cached !== undefined && standing === "leaving") throw refusal(cached, scope.object);
  if (cached !== undefined && standing === "ours") {
    journal.wrote({ verb: "create", ...placeOf({ type, name: key }), result: "skipped", ms: 0 });
    return { object: cached, isNew: false };
  }
  // What the cache takes for somebody else's may be gone by now: the server decides.
  for (let tries = 1; ; tries += 1) {
    try {
      const made = await client.create(type, object, { fieldManager, signal });
      // The cache has it by now, frozen and shared.
      const known = informer.get(key);
      const isKnown = known?.metadata.resourceVersion === made.metadata.resourceVersion;
      return { object: isKnown && known !== undefined ? known : asStored(made), isNew: true };
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
      const live = await client.get(type, key, { signal });
      if (live === undefined && tries === triesMax) throw error;
      if (live === undefined) continue;
      if (standingOf(live, scope.object) === "ours") return { object: asStored(live), isNew: false };
      throw refusal(live, scope.object);
    }
  }
}
