import type { Propagation } from "@homeostat/client";
import type { KubeObject, ResourceType, Stored } from "@homeostat/core";
import type { FieldPath } from "../cache/projection.ts";
import type { FollowOptions } from "../controller/kinds.ts";
import type { KindRules } from "./decide.ts";

/** Options of `managed`. */
export interface ManagedOptions<T extends KubeObject> extends FollowOptions<T>, Partial<ManagedRules> {
  /**
   * The fields that the cache keeps, beside metadata. Every field of desired objects must be among them: what the cache does not have differs
   * from what is desired. Default: all.
   */
  readonly project?: readonly FieldPath[] | undefined;
  /** The order in which objects of the kind are pruned. */
  pruneOrder?(this: void, left: Stored<T>, right: Stored<T>): number;
}

/** How the objects of a managed kind are kept as desired. */
export interface ManagedRules {
  /** Whether the kind is cached and watched. Without it objects are read by name, which needs no right to list. Default: true. */
  readonly cached: boolean;
  /** Whether objects that are not desired any more are deleted. Default: true. Of a kind that is not cached they never are. */
  readonly prune: boolean;
  /** Whether the controller deletes objects of the kind at all, and needs the right to. Default: true. */
  readonly deletes: boolean;
  /**
   * Whether the kind is not managed any more: objects that an earlier version of the controller has created are deleted. It is neither
   * cached nor watched. Default: false.
   */
  readonly retired: boolean;
  /** Paths that are not compared, in addition to those that are known for the kind. */
  readonly ignore: readonly string[];
  /** Paths that cannot be changed: a difference replaces the object. In addition to those that are known for the kind. */
  readonly replaceOn: readonly string[];
  /** What happens to the dependents of an object that is deleted. Default: `Background`. */
  readonly propagation: Propagation;
}

/** Returns the rules that options ask for, with their defaults. */
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

/** Rules of built-in kinds, by group and kind. */
const builtIn: Readonly<Record<string, Partial<KindRules>>> = {
  // Immutable, and the API server fills in much of it. Growing a claim template is the business of the operator.
  "StatefulSet.apps": { ignore: ["spec.volumeClaimTemplates"] },
  "RoleBinding.rbac.authorization.k8s.io": { replaceOn: ["roleRef"] },
  "ClusterRoleBinding.rbac.authorization.k8s.io": { replaceOn: ["roleRef"] },
};

/** Returns how differences of a kind are treated. */
export function rulesOf(
  { group, kind }: Pick<ResourceType, "group" | "kind">,
  { ignore, replaceOn }: Pick<ManagedRules, "ignore" | "replaceOn">,
): KindRules {
  const name = `${kind}.${group}`;
  const known = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  const fixed = [...(known?.replaceOn ?? []), ...replaceOn];
  // A path that replaces the object is compared, even where it is ignored by default.
  const ignored = [...(known?.ignore ?? []).filter((path) => !replaceOn.includes(path)), ...ignore];
  return { ignore: ignored, replaceOn: fixed };
}
