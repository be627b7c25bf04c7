import { ApiError, ForbiddenError, InvalidError } from "@homeostat/core";
import { BeingDeletedError } from "@homeostat/runtime";
import { ResourceConflictError } from "../apply/errors.ts";
import type { Obstacle } from "../status/component.ts";
import { refusalOf } from "../observe/workloads.ts";

/** Why something could not be done, and what that means for the tenant: the table of section 14. */
export type Trouble =
  /** Something of that name is somebody else's. Looked at again with the periodic pass. */
  | { readonly is: "conflict"; readonly message: string }
  /** The API server will never take it. Only another spec helps. */
  | { readonly is: "invalid"; readonly message: string }
  /** The namespace, or an object, is on its way out. Looked at again after a while. */
  | { readonly is: "leaving"; readonly message: string; readonly error: unknown }
  /** A quota or a policy is against it. Tried again with growing pauses. */
  | { readonly is: "refused"; readonly obstacle: Obstacle; readonly message: string; readonly error: unknown }
  /** Anything else. Tried again with growing pauses. */
  | { readonly is: "passing"; readonly message: string; readonly error: unknown };

/** What an error means. */
export function troubleOf(error: unknown): Trouble {
  const message =
    error instanceof ApiError ? error.serverMessage : error instanceof Error ? error.message : String(error);
  if (error instanceof ResourceConflictError) return { is: "conflict", message };
  if (error instanceof BeingDeletedError || isOfLeavingNamespace(error)) return { is: "leaving", message, error };
  if (error instanceof InvalidError) return { is: "invalid", message };
  const obstacle = error instanceof ForbiddenError ? refusalOf(message) : undefined;
  if (obstacle !== undefined) return { is: "refused", obstacle, message, error };
  return { is: "passing", message, error };
}

/** Whether nothing can be made because the namespace is being deleted. */
function isOfLeavingNamespace(error: unknown): boolean {
  return error instanceof ForbiddenError && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}
