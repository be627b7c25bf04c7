import { HomeostatError } from "homeostat";
import { readPointer } from "@homeostat/core";

/** Thrown when the cluster has a CRD of another product with the same name. */
export class ForeignDefinitionError extends HomeostatError {
  readonly code = "FOREIGN_DEFINITION";
}

/**
 * Refuses a CustomResourceDefinition `locusttests.locust.io` of another product: replacing it would break all its objects.
 *
 * @param definition the CustomResourceDefinition in the cluster; undefined when there is none
 */
export function refuseForeignDefinition(definition: unknown): void {
  const versions = readPointer(definition, "/spec/versions");
  const v1 = Array.isArray(versions) ? versions.find((version) => readPointer(version, "/name") === "v1") : undefined;
  if (v1 === undefined) return;
  const seed = readPointer(v1, "/schema/openAPIV3Schema/properties/spec/properties/masterCommandSeed");
  if (seed !== undefined) return;
  throw new ForeignDefinitionError(
    "The cluster has a CustomResourceDefinition locusttests.locust.io of another product: its v1 has no spec.masterCommandSeed. " +
      "One cluster cannot have both. Remove the other operator and its CustomResourceDefinition, or use another cluster.",
  );
}
