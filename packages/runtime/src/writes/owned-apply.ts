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
import type { ApplyOwnedOptions } from "./handles.ts";
import { type FieldPath, projection } from "../cache/projection.ts";
import { changedFields } from "./changed-fields.ts";
import { conflictsOf } from "./conflicts.ts";
import { ApplyConflictError } from "./errors.ts";
import { findOtherManagers } from "./loop-watch.ts";
import { describe, ownedKey, ownershipError, ownershipStateOf } from "./ownership.ts";
import type { OwnedInformer, ReconcileScope } from "./reconcile-scope.ts";
import { driftedFields } from "./drifted-fields.ts";
import { targetOf } from "./write-recorder.ts";

/** A complete apply configuration: with name, namespace and owner reference. */
export type OwnedConfig = ObjectToApply<KubeObject> & DeepReadonly<KubeObject>;

/** Input of {@link applyOwned}. */
export interface ApplyInput {
  readonly scope: ReconcileScope;
  readonly type: ResourceType;
  readonly informer: OwnedInformer;
  readonly key: ObjectKey;
  readonly config: OwnedConfig;
  /** Fields that the cache keeps of the kind. Default: all. */
  readonly keep?: readonly FieldPath[] | undefined;
}

/**
 * Returns the configuration of an owned object, with apiVersion, kind, the namespace of its owner and the controller reference. Throws an
 * `OwnerScopeError` where Kubernetes does not allow the reference.
 */
export function ownedConfig<C extends { readonly metadata: object & { readonly name: string } }>(
  object: C,
  { type, owner }: { readonly type: ResourceType; readonly owner: DeepReadonly<KubeObject> },
): C & DeepReadonly<KubeObject> {
  const given: object & { readonly name: string; readonly namespace?: unknown } = object.metadata;
  const { namespace } = given;
  const key = ownedKey({ name: given.name, namespace: typeof namespace === "string" ? namespace : undefined }, owner);
  const scopedKey = type.scope === "Cluster" ? {} : key;
  return setControllerReference(owner, {
    apiVersion: formatApiVersion(type),
    kind: type.kind,
    ...object,
    metadata: { ...object.metadata, ...scopedKey },
  });
}

/**
 * Applies an owned object, unless the cache shows that this would change nothing.
 *
 * Server-side apply would take over any object of that name. So the owner is checked before: in the cache, or in the live object if the cache has
 * none of that name, as it may be outdated. The apply then contains the UID of the checked object, which makes the API server reject it if the object was
 * deleted and recreated in between.
 */
export async function applyOwned(
  applying: ApplyInput,
  { conflicts = "take" }: ApplyOwnedOptions = {},
): Promise<Stored<KubeObject>> {
  const { scope, type, informer, key, config, keep } = applying;
  const { memory, journal, client, signal } = scope;
  if (keep !== undefined) checkCached(type, config, keep);
  const cached = informer.get(key);
  if (cached !== undefined && ownershipStateOf(cached, scope.object) === "leaving")
    throw ownershipError(cached, scope.object);
  if (cached !== undefined && ownershipStateOf(cached, scope.object) === "ours") {
    if (memory.isSettled(cached, config)) {
      journal.wrote({ verb: "apply", ...targetOf({ type, name: key }), result: "skipped", ms: 0 });
      return cached;
    }
    if (memory.isRepeated(cached, config)) {
      await findOtherManagers(scope, {
        verb: "apply",
        type,
        name: key,
        drifted: (live) => driftedFields(config, live),
      });
    }
    return send(applying, { uid: cached.metadata.uid, conflicts });
  }
  const live = await client.get(type, key, { signal });
  if (live === undefined) return send(applying, { conflicts });
  if (ownershipStateOf(live, scope.object) !== "ours") throw ownershipError(live, scope.object);
  return send(applying, { uid: live.metadata.uid, conflicts });
}

interface SendOptions {
  /** UID of the object to change. The API server rejects the apply if the object has another one by now. */
  readonly uid?: string | undefined;
  readonly conflicts: "take" | "fail";
}

/**
 * Throws an `ArgumentError` for applied fields that are not cached: their drift would never be noticed.
 */
export function checkCached(type: ResourceType, config: DeepReadonly<KubeObject>, keep: readonly FieldPath[]): void {
  const dropped = changedFields(projection(keep)(config), config);
  if (dropped.length === 0) return;
  const fields = dropped.map(({ path }) => path).join(", ");
  const problem = `does not include ${fields}, which is applied; add it to project, or omit it from the object.`;
  throw new ArgumentError({ argument: `project of ${type.kind}`, problem });
}

async function send(
  { scope, type, config, key, keep }: ApplyInput,
  { uid, conflicts }: SendOptions,
): Promise<Stored<KubeObject>> {
  const { client, fieldManager, signal, memory, log } = scope;
  const body: ObjectToApply<KubeObject> =
    uid === undefined ? config : { ...config, metadata: { ...config.metadata, uid } };
  const apply = (force: boolean): Promise<KubeObject> => client.apply(type, body, { fieldManager, force, signal });
  // First without force, although a conflict is usually overridden. A forced apply takes fields from other managers silently; the
  // rejected one names the fields and the managers, which is what a user needs to find two controllers that fight over an object.
  let response: KubeObject;
  try {
    response = await apply(false);
  } catch (error) {
    if (!(error instanceof ConflictError) || error.conflict !== "fields")
      throw await explain({ scope, type, key, error });
    const found = conflictsOf(error);
    const object = describe(config);
    const wasTaken = conflicts === "take";
    log.warn("Owned object has fields of other field managers", { object, conflicts: found, wasTaken });
    scope.report({ type: "conflict", object, conflicts: found, wasTaken });
    if (!wasTaken) throw new ApplyConflictError({ object, conflicts: found }, { cause: error });
    response = await apply(true);
  }
  // The memory is compared with cached objects, so it must contain the same part of the object as the cache.
  memory.remember(keep === undefined ? response : projection(keep)(response), config);
  return asStored(response);
}

/** Returns an ownership error instead of a 409 or 422 if the object was recreated, or has changed its owner, since the check. */
async function explain({
  scope,
  type,
  key,
  error,
}: {
  readonly scope: ReconcileScope;
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly error: unknown;
}): Promise<unknown> {
  if (!(error instanceof InvalidError) && !(error instanceof ConflictError)) return error;
  const live = await scope.client.get(type, key, { signal: scope.signal });
  return live === undefined || ownershipStateOf(live, scope.object) === "ours"
    ? error
    : ownershipError(live, scope.object);
}
