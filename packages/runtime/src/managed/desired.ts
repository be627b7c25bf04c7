import type { ObjectToApply } from "@homeostat/client";
import {
  type DeepReadonly,
  formatKey,
  type KubeObject,
  type ObjectKey,
  type ObjectMeta,
  type ResourceType,
  type Stored,
} from "@homeostat/core";
import type { Drift } from "../writes/drift.ts";
import type { FieldConflict } from "../writes/errors.ts";
import { groupKindOf } from "./inventory.ts";

/** Options of {@link desired}. */
export interface DesiredOptions<T extends KubeObject> {
  /**
   * Objects of the same set that must have been applied before this one. While one of them fails, this object is neither created nor
   * changed, and its outcome is `blocked`.
   */
  readonly requires?: readonly DesiredObject[] | undefined;
  /**
   * The object as this reconcile has read it from the API server, or `"absent"`. For kinds that are not cached; without it the object is
   * read before it is written.
   */
  readonly observed?: Stored<T> | "absent" | undefined;
  /**
   * Decides whether an existing object without owner, or with the mark of another one, is adopted. An object with a controller reference to another
   * owner is never adopted. Default: never.
   */
  adopt?(this: void, found: Stored<T>): boolean;
}

/** A desired object without owner reference and ownership mark; apiVersion and kind are optional. */
export interface DesiredBody {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: DeepReadonly<ObjectMeta> & { readonly name: string };
}

/** One object that should exist. Made by {@link desired}. */
export interface DesiredObject {
  readonly type: ResourceType;
  readonly object: DesiredBody;
  readonly requires: readonly DesiredObject[];
  readonly observed: Stored<KubeObject> | "absent" | undefined;
  adopt?(this: void, found: Stored<KubeObject>): boolean;
}

/**
 * Describes one object that should exist, for `managed.sync`.
 *
 * @example
 * desired(Service, { metadata: { name: "web", namespace }, spec: { selector, ports } })
 */
export function desired<T extends KubeObject>(
  type: ResourceType<T>,
  object: NoInfer<ObjectToApply<T>>,
  options?: DesiredOptions<T>,
): DesiredObject;
export function desired(
  type: ResourceType,
  object: DesiredBody,
  { requires = [], observed, adopt }: DesiredOptions<KubeObject> = {},
): DesiredObject {
  return { type, object, requires, observed, ...(adopt === undefined ? {} : { adopt }) };
}

/** Returns the key of a desired object. */
export function keyOfDesired({ metadata: { namespace = "", name } }: DesiredBody): ObjectKey {
  return namespace === "" ? { name } : { namespace, name };
}

/** Returns kind and key of a desired object, for messages: `ConfigMap default/web`. */
export function nameIn({ type, object }: Pick<DesiredObject, "type" | "object">): string {
  return `${type.kind} ${formatKey(keyOfDesired(object))}`;
}

/** Returns a text that identifies an object among those of all kinds. */
export function idOf({ type, key }: ObjectRef): string {
  return `${groupKindOf(type)} ${formatKey(key)}`;
}

/** Reports whether two types are versions of the same kind. */
export function isSameKind(left: ResourceType, right: ResourceType): boolean {
  return left.group === right.group && left.kind === right.kind;
}

/** Desired objects that are applied together. The objects of a tier do not depend on each other. */
export interface Tier {
  /** Name of the tier in results and messages: `controllers`. */
  readonly name: string;
  readonly objects: readonly DesiredObject[];
  /**
   * Reports whether an object of the tier is ready. With it, the next tier is applied only when every object of this one was applied and is
   * ready; the watch event of the object triggers the next reconcile. Default: the next tier follows at once.
   */
  isReady?(this: void, object: Stored<KubeObject>): boolean;
}

/** The outcome of one desired object. `taken`: fields that were taken from other field managers, with `conflicts: "take"`. */
export type ObjectOutcome =
  /** The live object has the desired state; nothing was sent, or a periodic apply changed nothing. */
  | { readonly result: "unchanged"; readonly live: Stored<KubeObject> }
  /** It did not exist. With `drift`, another client had deleted it. */
  | { readonly result: "created"; readonly live: Stored<KubeObject>; readonly drift?: Drift }
  /** The desired state has changed since it was last written. */
  | { readonly result: "updated"; readonly live: Stored<KubeObject>; readonly taken?: readonly FieldConflict[] }
  /** Another client had changed it, and the drift was corrected. */
  | {
      readonly result: "corrected";
      readonly live: Stored<KubeObject>;
      readonly drift: Drift;
      readonly taken?: readonly FieldConflict[];
    }
  /** An immutable field differed, so the object was deleted and created again. */
  | { readonly result: "replaced"; readonly live: Stored<KubeObject> }
  /** It had another owner or none, and was adopted. */
  | { readonly result: "adopted"; readonly live: Stored<KubeObject>; readonly taken?: readonly FieldConflict[] }
  /** Not attempted: an object that it requires failed, or an earlier tier is not ready. */
  | { readonly result: "blocked"; readonly by: string }
  | { readonly result: "failed"; readonly error: unknown };

/** An object by its kind and name. */
export interface ObjectRef {
  readonly type: ResourceType;
  readonly key: ObjectKey;
}

/** The action that `managed.sync` would perform for one object; see `managed.plan`. */
export type PlannedAction =
  | { readonly action: "none" | "create" | "delete" | "adopt"; readonly object: string }
  /** `fields`: the paths that would change. `isDrift`: because another client changed them. */
  | {
      readonly action: "update" | "replace";
      readonly object: string;
      readonly fields: readonly string[];
      readonly isDrift: boolean;
    }
  /** Not possible: the object has another owner, or is being deleted. */
  | { readonly action: "refused"; readonly object: string; readonly error: Error };
