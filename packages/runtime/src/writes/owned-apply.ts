import type { ObjectToApply } from "@homeostat/client";
import {
  ArgumentError,
  asStored,
  ConflictError,
  type DeepReadonly,
  formatApiVersion,
  InvalidError,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
  setControllerReference,
  type Stored,
} from "@homeostat/core";
import type { ApplyOwnedOptions } from "../controller/context.ts";
import { type FieldPath, projection } from "../cache/projection.ts";
import { changedFields } from "./changed-fields.ts";
import { conflictsOf } from "./conflicts.ts";
import { ApplyConflictError } from "./errors.ts";
import { findOthers } from "./loop-watch.ts";
import { describe, ownedKey, refusal, standingOf } from "./ownership.ts";
import type { OwnedInformer, RunScope } from "./reconcile-scope.ts";
import { unmetFields } from "./unmet-fields.ts";
import { placeOf } from "./write-recorder.ts";

/** An object as it is applied: named, in its namespace, and with its owner. */
export type OwnedConfig = ObjectToApply<KubeObject> & DeepReadonly<KubeObject>;

/** One object to apply. */
export interface Applying {
  readonly scope: RunScope;
  readonly type: ResourceType;
  readonly informer: OwnedInformer;
  readonly key: ObjectKey;
  readonly config: OwnedConfig;
  /** Which fields of the object the cache keeps. Default: all. */
  readonly keep?: readonly FieldPath[] | undefined;
}

/** The description of an object with everything that makes it the owner's. Throws an `OwnerScopeError` where it cannot be. */
export function ownedConfig<C extends { readonly metadata: object & { readonly name: string } }>(
  object: C,
  { type, owner }: { readonly type: ResourceType; readonly owner: DeepReadonly<KubeObject> },
): C & DeepReadonly<KubeObject> {
  const given: object & { readonly name: string; readonly namespace?: unknown } = object.metadata;
  const { namespace } = given;
  const key = ownedKey({ name: given.name, namespace: typeof namespace === "string" ? namespace : undefined }, owner);
  const place = type.scope === "Cluster" ? {} : key;
  return setControllerReference(owner, {
    apiVersion: formatApiVersion(type),
    kind: type.kind,
    ...object,
    metadata: { ...object.metadata, ...place },
  });
}

/** Makes an object as described, unless it is so already. */
export async function applyOwned(
  applying: Applying,
  { conflicts = "take" }: ApplyOwnedOptions = {},
): Promise<Stored<KubeObject>> {
  const { scope, type, informer, key, config, keep } = applying;
  const { memory, journal, client, signal } = scope;
  if (keep !== undefined) checkKept(type, config, keep);
  const cached = informer.get(key);
  if (cached !== undefined && standingOf(cached, scope.object) === "leaving") throw refusal(cached, scope.object);
  if (cached !== undefined && standingOf(cached, scope.object) === "ours") {
    if (memory.isSettled(cached, config)) {
      journal.wrote({ verb: "apply", ...placeOf({ type, name: key }), result: "skipped", ms: 0 });
      return cached;
    }
    if (memory.isRepeated(cached, config)) {
      await findOthers(scope, { verb: "apply", type, name: key, unmet: (live) => unmetFields(config, live) });
    }
    return send(applying, { uid: cached.metadata.uid, conflicts });
  }
  const live = await client.get(type, key, { signal });
  if (live === undefined) return send(applying, { conflicts });
  if (standingOf(live, scope.object) !== "ours") throw refusal(live, scope.object);
  return send(applying, { uid: live.metadata.uid, conflicts });
}

interface SendOptions {
  /** The uid of the object that is to be changed: should it be another by now, nothing is. */
  readonly uid?: string | undefined;
  readonly conflicts: "take" | "fail";
}

/**
 * Refuses to apply fields that the cache does not keep: a change by another client would never be seen in them.
 */
export function checkKept(type: ResourceType, config: DeepReadonly<KubeObject>, keep: readonly FieldPath[]): void {
  const dropped = changedFields(projection(keep)(config), config);
  if (dropped.length === 0) return;
  const fields = dropped.map(({ path }) => path).join(", ");
  const problem = `does not keep ${fields}, which is applied. Add it to project, or leave it out of the object.`;
  throw new ArgumentError({ argument: `project of ${type.kind}`, problem });
}

async function send(
  { scope, type, config, key, keep }: Applying,
  { uid, conflicts }: SendOptions,
): Promise<Stored<KubeObject>> {
  const { client, fieldManager, signal, memory, log } = scope;
  const body: ObjectToApply<KubeObject> =
    uid === undefined ? config : { ...config, metadata: { ...config.metadata, uid } };
  const apply = (force: boolean): Promise<KubeObject> => client.apply(type, body, { fieldManager, force, signal });
  let answer: KubeObject;
  try {
    answer = await apply(false);
  } catch (error) {
    if (!(error instanceof ConflictError) || error.conflict !== "fields")
      throw await explain({ scope, type, key, error });
    const found = conflictsOf(error);
    const object = describe(config);
    const wasTaken = conflicts === "take";
    log.warn("Somebody else has set fields of an owned object", { object, conflicts: found, wasTaken });
    scope.report({ type: "conflict", object, conflicts: found, wasTaken });
    if (!wasTaken) throw new ApplyConflictError({ object, conflicts: found }, { cause: error });
    answer = await apply(true);
  }
  // What is remembered is compared with what the cache has, so it has to be the same part of the object.
  memory.remember(keep === undefined ? answer : projection(keep)(answer), config);
  return asStored(answer);
}

/** An apply is refused, too, when the object has become another, or another's, since it was looked at. */
async function explain({
  scope,
  type,
  key,
  error,
}: {
  readonly scope: RunScope;
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly error: unknown;
}): Promise<unknown> {
  if (!(error instanceof InvalidError) && !(error instanceof ConflictError)) return error;
  const live = await scope.client.get(type, key, { signal: scope.signal });
  return live === undefined || standingOf(live, scope.object) === "ours" ? error : refusal(live, scope.object);
}
