import { FieldSet } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";

/** The fields of each version that an endpoint sets back, so that writers through it can neither own nor change them. */
export type ResetFields = ReadonlyMap<string, FieldSet>;

/**
 * The same fields set back in each of some versions.
 *
 * @example
 * resetFieldsOf([["status"]], ["example.com/v1"]); // the main endpoint of a resource with a status
 * resetFieldsOf([["metadata"], ["spec"]], ["example.com/v1"]); // its status
 */
export function resetFieldsOf(paths: readonly (readonly string[])[], apiVersions: readonly string[]): ResetFields {
  const set = FieldSet.of(paths.map((path) => path.map(fieldElement)));
  return new Map(apiVersions.map((apiVersion) => [apiVersion, set]));
}
