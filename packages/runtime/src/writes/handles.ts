import type { ObjectToApply, Propagation } from "@homeostat/client";
import type { DeepReadonly, KubeObject, ObjectKey, Stored } from "@homeostat/core";
import type { ListQuery } from "../cache/informer.ts";
import type { OwnedKind } from "../kinds/kinds.ts";

/** Reads the objects of a kind that are owned by the primary object. */
export interface OwnedReader<T extends KubeObject> {
  /** Returns the cached object with a name, frozen; undefined unless the primary object owns it. A bare name means the primary's namespace. */
  get(name: string | ObjectKey): Stored<T> | undefined;
  /** Returns the objects that the primary object owns, from the cache. */
  list(query?: ListQuery): readonly Stored<T>[];
  /**
   * Returns the last observed state of a deleted object, frozen; undefined unless the primary object owned it. Always undefined without
   * `remembersDeleted`, and for objects that were deleted while this process was not running.
   */
  lastOf(name: string | ObjectKey): Stored<T> | undefined;
}

/** Options of `apply`. */
export interface ApplyOwnedOptions {
  /**
   * Handling of fields that another field manager has set to a different value: `"take"` forces ownership and reports the other
   * manager in a log line and an event; `"fail"` throws an `ApplyConflictError`. Default: `"take"`.
   */
  readonly conflicts?: "take" | "fail";
}

/** Creates and updates the objects of an `applied` kind; `R` is the type of the cached objects. */
export interface AppliedHandle<T extends KubeObject, R extends KubeObject = T> extends OwnedReader<R> {
  /**
   * Applies the object by server-side apply, with the primary object as its controller owner.
   *
   * No request is sent when the cached object already has all desired values. Throws a `NotOwnedError` and changes nothing when an object
   * of that name exists and has another owner.
   */
  apply(object: ObjectToApply<T>, options?: ApplyOwnedOptions): Promise<Stored<R>>;
}

/** Result of `create`. */
export interface CreatedObject<T> {
  readonly object: Stored<T>;
  /** True if this call created the object; false if it existed. */
  readonly isNew: boolean;
}

/**
 * An object to create. A name is required: with `generateName`, a retry after a lost response would create a second object; with a fixed
 * name, the API server rejects the second request.
 */
export type ObjectToCreate<T extends KubeObject> = DeepReadonly<Omit<T, "apiVersion" | "kind" | "metadata">> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: DeepReadonly<T["metadata"]> & { readonly name: string };
};

/** Creates the objects of a `created` kind; `R` is the type of the cached objects. */
export interface CreatedHandle<T extends KubeObject, R extends KubeObject = T> extends OwnedReader<R> {
  /**
   * Creates the object unless it exists. Throws a `NotOwnedError` when the existing object is not owned by the primary object, compared by UID.
   */
  create(object: ObjectToCreate<T>): Promise<CreatedObject<R>>;
}

/** Deletes objects of an owned kind. */
export interface DeletingHandle {
  /** Deletes the object if the primary object owns it, compared by UID. Returns false when there was none. */
  delete(name: string | ObjectKey, options?: { readonly propagation?: Propagation }): Promise<boolean>;
  /**
   * Deletes the owned objects of the kind that were neither applied nor created in this reconcile and are not named in `keep`. Returns the
   * keys of the deleted objects.
   */
  prune(options?: { readonly keep?: Iterable<string>; readonly propagation?: Propagation }): Promise<readonly string[]>;
}

/** The operations of a reconciler on an owned kind, depending on how the kind is declared. */
export type OwnedHandle<K> =
  K extends OwnedKind<infer T, infer M, infer D, infer R>
    ? M extends "managed"
      ? OwnedReader<R>
      : ("applied" extends M ? AppliedHandle<T, R> : CreatedHandle<T, R>) & (D extends true ? DeletingHandle : unknown)
    : never;
