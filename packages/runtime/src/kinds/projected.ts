import type { KubeObject, ResourceType } from "@homeostat/core";
import type { PartialObject } from "../cache/cache.ts";
import type { FieldPath } from "../cache/projection.ts";

/** An object of which only some fields are cached. All fields but those of the status are optional in its type. */
export type ProjectedObject<T extends KubeObject> = PartialObject<Omit<T, "status"> & KubeObject> &
  ("status" extends keyof T ? Pick<T, "status"> : unknown);

/** A kind of which only some fields are cached. Made by {@link projected}. */
export interface ProjectedType<T extends KubeObject = KubeObject> extends ResourceType<ProjectedObject<T>> {
  readonly project: readonly FieldPath[];
}

/**
 * Declares a primary kind of which only some fields are cached, for kinds with many or large objects. Fields that identify an object,
 * its labels, owners and finalizers are always cached. A controller that writes the status must include `status`.
 *
 * @example
 * defineController({ for: projected(Site, ["spec.host", "status"]), reconcile })
 */
export function projected<T extends KubeObject>(type: ResourceType<T>, fields: readonly FieldPath[]): ProjectedType<T>;
export function projected(
  type: ResourceType,
  fields: readonly FieldPath[],
): ResourceType & Pick<ProjectedType, "project"> {
  return { ...type, project: fields };
}

/** Returns the cached fields of a kind; undefined for all. */
export function projectOf(type: ResourceType): readonly FieldPath[] | undefined {
  return isProjected(type) ? type.project : undefined;
}

function isProjected(type: ResourceType): type is ResourceType & Pick<ProjectedType, "project"> {
  return "project" in type && Array.isArray(type.project);
}

/** Reports whether a top-level field is cached completely. */
export function keepsField(fields: readonly FieldPath[], name: string): boolean {
  return fields.some((field) => (typeof field === "string" ? field === name : field.length === 1 && field[0] === name));
}
