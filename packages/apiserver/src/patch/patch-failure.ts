import { HomeostatError } from "@homeostat/core";

/**
 * Kind of failure of a patch, which determines the response.
 *
 * - `malformed`: it is not a valid patch (400).
 * - `unprocessable`: it cannot be applied to this object (422).
 * - `too-large`: it exceeds a limit (413).
 * - `unknown`: kube-apiserver responds with an internal error (500).
 */
export type PatchFailure = "malformed" | "unprocessable" | "too-large" | "unknown";

/** Thrown when a patch cannot be applied; nothing was changed. The message is that of kube-apiserver. */
export class ServerPatchError extends HomeostatError {
  readonly code = "SERVER_PATCH";
  readonly failure: PatchFailure;

  constructor(failure: PatchFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}
