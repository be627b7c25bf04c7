import type { JsonRecord, StatusCause } from "@homeostat/core";
import { type Conflict, conflictCauses, conflictMessage } from "./conflicts.ts";

/** Refusal of an apply: the parts of the Status that the API server responds with. */
export interface ApplyFailure {
  readonly code: 400 | 409 | 500;
  /** Empty if the API server gives no reason. */
  readonly reason: "BadRequest" | "Conflict" | "";
  readonly message: string;
  readonly causes: readonly StatusCause[];
  readonly conflicts: readonly Conflict[];
}

/** Result of an apply: the object to store, or the failure. */
export type Applied =
  | { readonly object: JsonRecord; readonly failure?: undefined }
  | { readonly object?: undefined; readonly failure: ApplyFailure };

/** Returns the failure for a configuration that does not belong to this endpoint. */
export function badRequestFailure(message: string): Applied {
  return { failure: { code: 400, reason: "BadRequest", message, causes: [], conflicts: [] } };
}

/** Returns the failure for an apply that could not be carried out, such as an object that does not match its schema. */
export function internalFailure(message: string): Applied {
  return { failure: { code: 500, reason: "", message, causes: [], conflicts: [] } };
}

/** Returns the failure for an apply that would change fields of other field managers. */
export function conflictFailure(conflicts: readonly Conflict[]): Applied {
  const causes = conflictCauses(conflicts);
  return { failure: { code: 409, reason: "Conflict", message: conflictMessage(conflicts), causes, conflicts } };
}
