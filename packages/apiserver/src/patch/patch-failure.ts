import { HomeostatError } from "@homeostat/core";

/**
 * What is wrong with a patch, and so which status it is answered with.
 *
 * - `malformed`: it is no patch (400).
 * - `unprocessable`: it cannot be applied to this object (422).
 * - `too-large`: it asks for too much (413).
 * - `unknown`: the real server has no better word than an internal error (500).
 */
export type PatchTrouble = "malformed" | "unprocessable" | "too-large" | "unknown";

/** Thrown when a patch cannot be applied; nothing was changed. The message is in the words of a Kubernetes API server. */
export class ServerPatchError extends HomeostatError {
  readonly code = "SERVER_PATCH";
  readonly trouble: PatchTrouble;

  constructor(trouble: PatchTrouble, message: string, options?: ErrorOptions) {
    super(message, options);
    this.trouble = trouble;
  }
}
