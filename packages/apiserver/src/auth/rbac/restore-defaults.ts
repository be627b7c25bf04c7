import { isEqual } from "@homeostat/core";
import { asRules, missingRules } from "./covers.ts";
import { autoUpdateAnnotation } from "./default-policy.ts";
import type { AnyBinding, AnyRole, ClusterRoleObject, RbacMeta, SubjectObject } from "./objects.ts";

/** The action that restores a default role or binding. */
export type RestoreAction<T> =
  /** Nothing to restore, or the object opted out. */
  | { readonly do: "nothing" }
  | { readonly do: "create"; readonly object: T }
  /** Something is missing. `object` is the stored object with the missing parts added. */
  | { readonly do: "update"; readonly object: T }
  /** A binding refers to another role; roleRef is immutable, so delete the binding, then create `object`. */
  | { readonly do: "replace"; readonly object: T };

/**
 * Returns how to restore a default role at startup: create it if it is missing, or add missing rules, labels and
 * annotations. Additions by users are kept. An object whose autoupdate annotation is `false` is left unchanged.
 */
export function restoreRole<T extends AnyRole>(expected: T, stored: T | undefined): RestoreAction<T> {
  if (stored === undefined) return { do: "create", object: expected };
  if (isProtected(stored.metadata)) return { do: "nothing" };
  const missing = asRules(missingRules(stored.rules ?? [], expected.rules ?? []));
  const object: T = {
    ...stored,
    metadata: mergeMeta(expected.metadata, stored.metadata),
    ...(missing.length === 0 ? {} : { rules: [...(stored.rules ?? []), ...missing] }),
  };
  return isEqual(restoreSelectors(expected, object), stored)
    ? { do: "nothing" }
    : { do: "update", object: restoreSelectors(expected, object) };
}

/** Adds missing aggregation selectors; removes the aggregationRule from a role that should have none. */
function restoreSelectors<T extends AnyRole>(expected: T, role: T): T {
  const desired = selectorsOf(expected);
  const held = selectorsOf(role);
  if (desired === undefined) return held === undefined ? role : { ...role, aggregationRule: null };
  const missing = desired.filter((selector) => !held?.some((other) => isEqual(other, selector)));
  if (missing.length === 0) return role;
  return { ...role, aggregationRule: { clusterRoleSelectors: [...(held ?? []), ...missing] } };
}

function selectorsOf(role: AnyRole): readonly unknown[] | undefined {
  if (role.kind === "Role") return undefined;
  const { aggregationRule }: ClusterRoleObject = role;
  return aggregationRule === undefined || aggregationRule === null
    ? undefined
    : (aggregationRule.clusterRoleSelectors ?? []);
}

/**
 * Returns how to restore a default binding at startup: create it if it is missing, add missing subjects, or replace it
 * if it refers to another role. An object whose autoupdate annotation is `false` is left unchanged.
 */
export function restoreBinding<T extends AnyBinding>(expected: T, stored: T | undefined): RestoreAction<T> {
  if (stored === undefined) return { do: "create", object: expected };
  if (isProtected(stored.metadata)) return { do: "nothing" };
  if (!isEqual(expected.roleRef, stored.roleRef)) return { do: "replace", object: expected };
  const held = stored.subjects ?? [];
  const missing = (expected.subjects ?? []).filter((subject) => !held.some((other) => isSameSubject(other, subject)));
  const object: T = {
    ...stored,
    metadata: mergeMeta(expected.metadata, stored.metadata),
    ...(missing.length === 0 ? {} : { subjects: [...held, ...missing] }),
  };
  return isEqual(object, stored) ? { do: "nothing" } : { do: "update", object };
}

function isSameSubject(a: SubjectObject, b: SubjectObject): boolean {
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    (a.namespace ?? "") === (b.namespace ?? "") &&
    (a.apiGroup ?? "") === (b.apiGroup ?? "")
  );
}

function isProtected({ annotations }: RbacMeta): boolean {
  return (
    annotations !== undefined &&
    Object.hasOwn(annotations, autoUpdateAnnotation) &&
    annotations[autoUpdateAnnotation] === "false"
  );
}

/** Adds missing labels and annotations. Stored values win. */
function mergeMeta(expected: RbacMeta, stored: RbacMeta): RbacMeta {
  return {
    ...stored,
    labels: { ...expected.labels, ...stored.labels },
    annotations: { ...expected.annotations, ...stored.annotations },
  };
}
