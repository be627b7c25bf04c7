import { classifyApiFailure } from "homeostat";

/** The reaction to an object that could not be created. */
export type CreateFailure =
  /** A leftover of an earlier test of the same name is being deleted. */
  | { readonly type: "wait" }
  /** The namespace is being deleted, and the test with it. */
  | { readonly type: "stop" }
  /** Report and retry. With `isRefusal` the API server has rejected the object itself. */
  | { readonly type: "report"; readonly message: string; readonly isRefusal: boolean };

export function decideCreateFailure(error: unknown): CreateFailure {
  const failure = classifyApiFailure(error);
  const { reason } = failure;
  if (reason === "BeingDeleted" || (reason === "NotOwned" && failure.isLeaving)) return { type: "wait" };
  if (reason === "NamespaceTerminating" || reason === "NamespaceMissing") return { type: "stop" };
  return { type: "report", message: failure.detail, isRefusal: failure.isRefusal };
}
