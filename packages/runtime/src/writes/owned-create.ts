import {
  AlreadyExistsError,
  asStored,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
  type Stored,
} from "@homeostat/core";
import type { ObjectToSend, WriteAnswer } from "@homeostat/client";
import type { CreatedObject } from "../controller/context.ts";
import { knownOr } from "./known-or.ts";
import { refusal, standingOf } from "./ownership.ts";
import type { OwnedInformer, RunScope } from "./reconcile-scope.ts";
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
      return new MadeObject(await client.createUnread(type, object, { fieldManager, signal }), informer, key);
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

/** What was made, of which nothing is parsed before somebody looks at it. */
class MadeObject implements CreatedObject<KubeObject> {
  readonly isNew = true;
  readonly #answer: WriteAnswer;
  readonly #informer: OwnedInformer;
  readonly #key: ObjectKey;
  #object: Stored<KubeObject> | undefined;

  constructor(answer: WriteAnswer, informer: OwnedInformer, key: ObjectKey) {
    this.#answer = answer;
    this.#informer = informer;
    this.#key = key;
  }

  get object(): Stored<KubeObject> {
    return (this.#object ??= knownOr(this.#answer, this.#informer.get(this.#key)));
  }
}
