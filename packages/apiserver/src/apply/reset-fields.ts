import { FieldSet } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";

/** The fields that an endpoint ignores, by version. Clients of the endpoint can neither change nor own them. */
export type ResetFields = ReadonlyMap<string, FieldSet>;

/**
 * Returns the same ignored fields for each of the given versions.
 *
 * @example
 * resetFieldsOf([["status"]], ["example.com/v1"]); // main endpoint of a resource with a status
 * resetFieldsOf([["metadata"], ["spec"]], ["example.com/v1"]); // its status endpoint
 */
export function resetFieldsOf(paths: readonly (readonly string[])[], apiVersions: readonly string[]): ResetFields {
  const set = FieldSet.of(paths.map((path) => path.map(fieldElement)));
  return new Map(apiVersions.map((apiVersion) => [apiVersion, set]));
}
