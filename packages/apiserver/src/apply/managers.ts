import { jsonText } from "./canonical-json.ts";
import type { FieldSet } from "./field-set.ts";

/** The operation through which a manager owns fields. Apply and Update entries follow different rules. */
export type ManagerOperation = "Apply" | "Update";

/** Identity of an entry in `managedFields`: everything but its fields and its time. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: ManagerOperation;
  readonly apiVersion: string;
  readonly subresource: string;
}

/** A manager and the fields it owns. */
export interface ManagerEntry extends ManagerIdentity {
  readonly set: FieldSet;
  /** Time at which the owned fields last changed, in milliseconds since the epoch; undefined if the entry has none. */
  readonly time: number | undefined;
}

/** All managers of an object by {@link identityText}. */
export type Managers = ReadonlyMap<string, ManagerEntry>;

/**
 * Returns the key of a manager. The API server sorts conflicts by the same text.
 *
 * A manager that applies has one entry whatever version it applies in; a manager that updates has one per version.
 */
export function identityText({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const parts: string[] = [];
  if (manager !== "") parts.push(`"manager":${jsonText(manager)}`);
  parts.push(`"operation":${jsonText(operation)}`);
  if (operation === "Update" && apiVersion !== "") parts.push(`"apiVersion":${jsonText(apiVersion)}`);
  if (subresource !== "") parts.push(`"subresource":${jsonText(subresource)}`);
  return `{${parts.join(",")}}`;
}
