import { isEqual } from "@homeostat/core";
import { asRules, missingRules } from "./covers.ts";
import { autoUpdateAnnotation } from "./default-policy.ts";
import type { AnyBinding, AnyRole, ClusterRoleObject, RbacMeta, SubjectObject } from "./objects.ts";

/** What to do so that a default is as it should be. */
export type Mending<T> =
  /** It is as it should be, or its owner asked to leave it alone. */
  | { readonly do: "nothing" }
  | { readonly do: "create"; readonly object: T }
  /** It lacks something. `object` has all that is stored and what is missing. */
  | { readonly do: "update"; readonly object: T }
  /** A binding leads to another role, which cannot be changed. Delete it, then create `object`. */
  | { readonly do: "replace"; readonly object: T };

/**
 * What a server does at its start about a default role: create it when it is missing, add what it lacks when rules, labels
 * or annotations were taken away. What somebody added stays. An object whose autoupdate annotation is `false` is left alone.
 */
export function mendRole<T extends AnyRole>(expected: T, stored: T | undefined): Mending<T> {
  if (stored === undefined) return { do: "create", object: expected };
  if (isProtected(stored.metadata)) return { do: "nothing" };
  const missing = asRules(missingRules(stored.rules ?? [], expected.rules ?? []));
  const object: T = {
    ...stored,
    metadata: mergeMeta(expected.metadata, stored.metadata),
    ...(missing.length === 0 ? {} : { rules: [...(stored.rules ?? []), ...missing] }),
  };
  return isEqual(mendSelectors(expected, object), stored)
    ? { do: "nothing" }
    : { do: "update", object: mendSelectors(expected, object) };
}

/** A sum gets the selectors it lacks; a role that should be none loses them all. */
function mendSelectors<T extends AnyRole>(expected: T, role: T): T {
  const wanted = selectorsOf(expected);
  const held = selectorsOf(role);
  if (wanted === undefined) return held === undefined ? role : { ...role, aggregationRule: null };
  const missing = wanted.filter((selector) => !held?.some((other) => isEqual(other, selector)));
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
 * What a server does at its start about a default binding: create it when it is missing, add the subjects it lacks, and make
 * it anew when it leads to another role. An object whose autoupdate annotation is `false` is left alone.
 */
export function mendBinding<T extends AnyBinding>(expected: T, stored: T | undefined): Mending<T> {
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

/** What is stored wins; what it lacks is added. */
function mergeMeta(expected: RbacMeta, stored: RbacMeta): RbacMeta {
  return {
    ...stored,
    labels: { ...expected.labels, ...stored.labels },
    annotations: { ...expected.annotations, ...stored.annotations },
  };
}
