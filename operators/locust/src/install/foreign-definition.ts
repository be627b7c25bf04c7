import { HomeostatError, isRecord, ownValue } from "@homeostat/core";

/** Thrown when a cluster has load tests of another product under the same name. */
export class ForeignDefinitionError extends HomeostatError {
  readonly code = "FOREIGN_DEFINITION";
}

/**
 * Refuses a definition that is not of this kind of load tests: another product has one of the same name, and writing ours
 * over it would break every object that it has.
 *
 * @param definition the CustomResourceDefinition `locusttests.locust.io` that a cluster has; undefined when it has none
 */
export function refuseForeignDefinition(definition: unknown): void {
  if (definition === undefined) return;
  const versions = at(definition, "spec", "versions");
  const v1 = Array.isArray(versions) ? versions.find((version) => at(version, "name") === "v1") : undefined;
  if (v1 === undefined) return;
  const seed = at(v1, "schema", "openAPIV3Schema", "properties", "spec", "properties", "masterCommandSeed");
  if (seed !== undefined) return;
  throw new ForeignDefinitionError(
    "The cluster has a CustomResourceDefinition locusttests.locust.io of another product: its v1 has no spec.masterCommandSeed. " +
      "Both cannot be in one cluster. Remove the other operator with its definition, or use another cluster.",
  );
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) found = isRecord(found) ? ownValue(found, key) : undefined;
  return found;
}
