import type { JsonRecord, StatusCause } from "@homeostat/core";
import { type Conflict, conflictCauses, conflictMessage } from "./conflicts.ts";

/** Why an apply was refused: what goes into the Status. */
export interface ApplyFailure {
  readonly code: 400 | 409 | 500;
  /** Empty where the API server gives none. */
  readonly reason: "BadRequest" | "Conflict" | "";
  readonly message: string;
  readonly causes: readonly StatusCause[];
  readonly conflicts: readonly Conflict[];
}

/** What came of an apply. */
export type Applied =
  | { readonly object: JsonRecord; readonly failure?: undefined }
  | { readonly object?: undefined; readonly failure: ApplyFailure };

/** A configuration that is not for this endpoint. */
export function badRequest(message: string): Applied {
  return { failure: { code: 400, reason: "BadRequest", message, causes: [], conflicts: [] } };
}

/** An apply that could not be carried out. */
export function broken(message: string): Applied {
  return { failure: { code: 500, reason: "", message, causes: [], conflicts: [] } };
}

/** An apply that others object to. */
export function conflicting(conflicts: readonly Conflict[]): Applied {
  const causes = conflictCauses(conflicts);
  return { failure: { code: 409, reason: "Conflict", message: conflictMessage(conflicts), causes, conflicts } };
}
