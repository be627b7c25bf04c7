import type { Propagation } from "@homeostat/client";
import type { KubeObject, Stored } from "@homeostat/core";
import type { FieldPath } from "../cache/projection.ts";
import type { FollowOptions } from "./kinds.ts";

/** Options of `managed`. */
export interface ManagedOptions<T extends KubeObject> extends FollowOptions<T>, Partial<ManagedRules> {
  /**
   * Fields that are cached in addition to the metadata. They must include every field of the desired objects: a field that is not cached would
   * always differ from the desired state. Default: all fields.
   */
  readonly project?: readonly FieldPath[] | undefined;
  /** Comparison function for the order in which objects of the kind are pruned. */
  pruneOrder?(this: void, left: Stored<T>, right: Stored<T>): number;
}

/** Rules for the objects of a managed kind. */
export interface ManagedRules {
  /** True if the kind is cached and watched. Otherwise objects are read by name, which needs no permission to list. Default: true. */
  readonly cached: boolean;
  /** True if objects that are not desired any more are deleted. Objects of a kind that is not cached are never pruned. Default: true. */
  readonly prune: boolean;
  /** True if the controller deletes objects of the kind at all, and needs the permission. Default: true. */
  readonly deletes: boolean;
  /**
   * True if the kind is not managed any more. Objects that an earlier version of the controller has created are deleted; the kind is neither
   * cached nor watched. Default: false.
   */
  readonly retired: boolean;
  /** Paths that are not compared, in addition to the built-in ones of the kind. */
  readonly ignore: readonly string[];
  /** Immutable paths: if they differ, the object is deleted and created again. In addition to the built-in ones of the kind. */
  readonly replaceOn: readonly string[];
  /** Deletion propagation for dependents of deleted objects. Default: `Background`. */
  readonly propagation: Propagation;
}

/** Returns the rules of the options with their defaults. */
export function managedRules({
  cached = true,
  prune = true,
  deletes = true,
  retired = false,
  ignore = [],
  replaceOn = [],
  propagation = "Background",
}: Partial<ManagedRules>): ManagedRules {
  return { cached: cached && !retired, prune: prune && deletes, deletes, retired, ignore, replaceOn, propagation };
}
