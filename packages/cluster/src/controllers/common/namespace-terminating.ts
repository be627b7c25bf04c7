import { ApiError } from "@homeostat/core";

/** Reports whether a create was refused because the namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof ApiError && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}
