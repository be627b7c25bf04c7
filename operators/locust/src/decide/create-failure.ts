import { ApiError, ForbiddenError, InvalidError, NotFoundError } from "@homeostat/core";
import { BeingDeletedError, NotOwnedError } from "@homeostat/runtime";

/** What it means that an object could not be made. */
export type CreationProblem =
  /** What an earlier test of the name has left is still on its way out. */
  | { readonly type: "wait" }
  /** The namespace goes, and this test with it. */
  | { readonly type: "quiet" }
  /** With `isRefused`, the API server has looked at the object and does not want it. */
  | { readonly type: "failed"; readonly message: string; readonly isRefused: boolean };

/** What it means that an object could not be made. */
export function creationProblem(error: unknown): CreationProblem {
  if (error instanceof BeingDeletedError) return { type: "wait" };
  if (error instanceof NotOwnedError && error.isPredecessor) return { type: "wait" };
  if (isNamespaceLeaving(error)) return { type: "quiet" };
  const isRefused = error instanceof InvalidError || error instanceof ForbiddenError;
  const message =
    error instanceof ApiError ? error.serverMessage : error instanceof Error ? error.message : String(error);
  return { type: "failed", message, isRefused };
}

/** Whether the API server has said that it did not make the object. Of what it left unanswered nobody knows. */
export function isCertain(error: unknown): boolean {
  if (error instanceof BeingDeletedError || error instanceof NotOwnedError) return true;
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}

function isNamespaceLeaving(error: unknown): boolean {
  if (error instanceof ForbiddenError) return error.causes.some(({ reason }) => reason === "NamespaceTerminating");
  return error instanceof NotFoundError && error.details.kind === "namespaces";
}
