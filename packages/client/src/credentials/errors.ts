import { HomeostatError } from "@homeostat/core";

/** Thrown when the credentials of a request are not available: a file is missing, or a plugin failed. Nothing was sent. */
export class CredentialsError extends HomeostatError {
  readonly code = "CREDENTIALS";
  /** The outcome of a write: nothing was sent. */
  readonly outcome = "not-applied";

  // The file may appear and the plugin may recover.
  override get retryable(): boolean {
    return true;
  }
}
