import {
  type DeepReadonly,
  formatKey,
  type KubeObject,
  LabelSelector,
  type ObjectKey,
  parseKey,
  parseLabelSelector,
  type Stored,
} from "@homeostat/core";
import type { ListQuery } from "../cache/informer.ts";
import type { AppliedHandle, CreatedHandle, DeletingHandle, OwnedHandle, OwnedReader } from "./handles.ts";
import type { OwnedKind } from "../kinds/kinds.ts";
import { applyOwned, ownedConfig } from "./owned-apply.ts";
import { createOwned } from "./owned-create.ts";
import { deleteOwned } from "./owned-delete.ts";
import { ownedKey, ownershipStateOf } from "./ownership.ts";
import { type OwnedInformer, ownerIndex, type ReconcileScope } from "./reconcile-scope.ts";

/** The scope of a reconcile, with the cache of an owned kind. */
export interface OwnedScope<T extends KubeObject = KubeObject> extends ReconcileScope {
  /** Informer of the kind, with an index of `ownerUidOf` under the name `ownerIndex`. */
  readonly informer: OwnedInformer<T>;
  /** Last state of deleted objects of the kind, by key. Default: none are remembered. */
  readonly deleted?: { get(key: string): Stored<T> | undefined } | undefined;
  /** Ownership rules of a managed kind. Default: the controller reference. */
  readonly ownership?: { owns(owner: DeepReadonly<KubeObject>, object: DeepReadonly<KubeObject>): boolean } | undefined;
}

type AnyHandle = AppliedHandle<KubeObject> & CreatedHandle<KubeObject> & DeletingHandle;

/**
 * Returns the operations of a reconciler on an owned kind.
 *
 * A handle belongs to one reconcile: `prune` keeps the objects that were applied or created through it.
 */
export function ownedHandle<K extends OwnedKind>(kind: K, scope: OwnedScope): OwnedHandle<K>;
export function ownedHandle({ type, mode, deletes, shape }: OwnedKind, scope: OwnedScope): Partial<AnyHandle> {
  const { informer, object: owner } = scope;
  const desired = new Set<string>();
  const keyOfName = (name: string | ObjectKey): ObjectKey => {
    const key = typeof name === "string" ? parseKey(name) : name;
    return type.scope === "Cluster" ? { name: key.name } : ownedKey(key, owner);
  };
  const markDesired = (name: string | ObjectKey): ObjectKey => {
    const key = keyOfName(name);
    desired.add(formatKey(key));
    return key;
  };

  const applying: Pick<AnyHandle, "apply"> = {
    async apply(object, options) {
      const config = ownedConfig(object, { type, owner });
      const keep = shape?.project;
      const applied = await applyOwned(
        { scope, type, informer, key: markDesired(nameIn(config)), config, keep },
        options,
      );
      return applied;
    },
  };
  const creating: Pick<AnyHandle, "create"> = {
    async create(object) {
      const whole = ownedConfig(object, { type, owner });
      // Awaited here: returning a promise from an async function takes three more microtask turns.
      const created = await createOwned({ scope, type, informer, key: markDesired(nameIn(whole)), object: whole });
      return created;
    },
  };
  const deleting: DeletingHandle = {
    async delete(name, { propagation } = {}) {
      const key = keyOfName(name);
      desired.delete(formatKey(key));
      return (await deleteOwned({ scope, type, key, known: informer.get(key), propagation })) !== "absent";
    },
    async prune({ keep = [], propagation } = {}) {
      const kept = new Set([...desired, ...[...keep].map((name) => formatKey(keyOfName(name)))]);
      const pruned: string[] = [];
      for (const known of ownedObjects(scope)) {
        const key = keyOfName(nameIn(known));
        if (kept.has(formatKey(key))) continue;
        const result = await deleteOwned({ scope, type, key, known, propagation });
        if (result === "deleted") pruned.push(formatKey(key));
      }
      return pruned;
    },
  };
  const reading = reader(scope, keyOfName);
  if (mode === "managed") return reading;
  return { ...reading, ...(mode === "applied" ? applying : creating), ...(deletes ? deleting : {}) };
}

function reader(scope: OwnedScope, keyOfName: (name: string | ObjectKey) => ObjectKey): OwnedReader<KubeObject> {
  const owns = (object: Stored<KubeObject>): boolean => {
    if (scope.ownership !== undefined) return scope.ownership.owns(scope.object, object);
    return ownershipStateOf(object, scope.object) !== "foreign";
  };
  const ours = (object: Stored<KubeObject> | undefined): Stored<KubeObject> | undefined =>
    object !== undefined && owns(object) ? object : undefined;
  return {
    get: (name) => ours(scope.informer.get(keyOfName(name))),
    list: (query) => select(ownedObjects(scope).filter(owns), query),
    lastOf: (name) => ours(scope.deleted?.get(formatKey(keyOfName(name)))),
  };
}

/** Returns the cached objects that the primary object owns. */
function ownedObjects({ informer, object }: OwnedScope): readonly Stored<KubeObject>[] {
  const { uid } = object.metadata;
  return uid === undefined ? [] : informer.by(ownerIndex, uid);
}

function select(
  objects: readonly Stored<KubeObject>[],
  { namespace, labels }: ListQuery = {},
): readonly Stored<KubeObject>[] {
  const selector = typeof labels === "string" ? parseLabelSelector(labels) : (labels ?? LabelSelector.everything);
  return objects.filter(
    ({ metadata }) =>
      (namespace === undefined || metadata.namespace === namespace) && selector.matches(metadata.labels),
  );
}

function nameIn({ metadata: { name = "", namespace = "" } }: DeepReadonly<KubeObject>): ObjectKey {
  return namespace === "" ? { name } : { namespace, name };
}
