import { jsonText } from "./canonical-json.ts";
import type { FieldSet } from "./field-set.ts";

/** How a manager came to own fields. */
export type ManagerOperation = "Apply" | "Update";

/** What makes an entry of `managedFields` the same entry as another: everything but its fields and its time. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: ManagerOperation;
  readonly apiVersion: string;
  readonly subresource: string;
}

/** One manager and what it owns. */
export interface ManagerEntry extends ManagerIdentity {
  readonly set: FieldSet;
  /** When the manager last changed what it owns, in milliseconds; entries of other writers may lack it. */
  readonly time: number | undefined;
}

/** All managers of an object by {@link identityText}. */
export type Managers = ReadonlyMap<string, ManagerEntry>;

/**
 * The text that tells managers apart, which also orders them where the API server does.
 *
 * An applier is one manager whatever version it applies; an updater is one for each version.
 */
export function identityText({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const parts: string[] = [];
  if (manager !== "") parts.push(`"manager":${jsonText(manager)}`);
  parts.push(`"operation":${jsonText(operation)}`);
  if (operation === "Update" && apiVersion !== "") parts.push(`"apiVersion":${jsonText(apiVersion)}`);
  if (subresource !== "") parts.push(`"subresource":${jsonText(subresource)}`);
  return `{${parts.join(",")}}`;
}
