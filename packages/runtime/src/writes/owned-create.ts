import {
  AlreadyExistsError,
  asStored,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
  type Stored,
} from "@homeostat/core";
import type { ObjectToSend, WriteResponse } from "@homeostat/client";
import type { CreatedObject } from "./handles.ts";
import { cachedOrResponse } from "./cached-or-response.ts";
import { ownershipError, ownershipStateOf } from "./ownership.ts";
import type { OwnedInformer, ReconcileScope } from "./reconcile-scope.ts";
import { targetOf } from "./write-recorder.ts";

/** Input of {@link createOwned}. */
export interface CreateInput {
  readonly scope: ReconcileScope;
  readonly type: ResourceType;
  readonly informer: OwnedInformer;
  readonly key: ObjectKey;
  /** The object with its owner reference; see `ownedConfig`. */
  readonly object: ObjectToSend<KubeObject>;
}

/** Maximum number of attempts, for the case that the existing object is deleted before it can be read. */
const attemptsMax = 2;

/**
 * Creates an owned object unless it exists.
 *
 * The name is fixed, so a lost response is harmless: the next reconcile finds the object with our owner reference, or creates it.
 */
export async function createOwned(creating: CreateInput): Promise<CreatedObject<KubeObject>> {
  const { scope, type, informer, key, object } = creating;
  const { client, journal, fieldManager, signal } = scope;
  const cached = informer.get(key);
  const state = ownershipStateOf(cached, scope.object);
  if (cached !== undefined && state === "leaving") throw ownershipError(cached, scope.object);
  if (cached !== undefined && state === "ours") {
    journal.wrote({ verb: "create", ...targetOf({ type, name: key }), result: "skipped", ms: 0 });
    return { object: cached, isNew: false };
  }
  // A cached object of another owner may have been deleted by now, so the server decides.
  for (let attempt = 1; ; attempt += 1) {
    try {
      return new CreatedResult(await client.createUnread(type, object, { fieldManager, signal }), informer, key);
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
      const live = await client.get(type, key, { signal });
      if (live === undefined && attempt === attemptsMax) throw error;
      if (live === undefined) continue;
      if (ownershipStateOf(live, scope.object) === "ours") return { object: asStored(live), isNew: false };
      throw ownershipError(live, scope.object);
    }
  }
}

/** The created object. The response is parsed only when `object` is read, as many reconcilers ignore it. */
class CreatedResult implements CreatedObject<KubeObject> {
  readonly isNew = true;
  readonly #response: WriteResponse;
  readonly #informer: OwnedInformer;
  readonly #key: ObjectKey;
  #object: Stored<KubeObject> | undefined;

  constructor(response: WriteResponse, informer: OwnedInformer, key: ObjectKey) {
    this.#response = response;
    this.#informer = informer;
    this.#key = key;
  }

  get object(): Stored<KubeObject> {
    return (this.#object ??= cachedOrResponse(this.#response, this.#informer.get(this.#key)));
  }
}
