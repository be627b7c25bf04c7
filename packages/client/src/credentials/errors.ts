import { HomeostatError } from "@homeostat/core";

/** Thrown when the credentials for a request cannot be had: a file is missing, a plugin failed. Nothing was sent. */
export class CredentialsError extends HomeostatError {
  readonly code = "CREDENTIALS";
  /** What became of a write: nothing. */
  readonly outcome = "not-applied";

  // A file may appear and a plugin may work again, so a later try is worth it.
  override get retryable(): boolean {
    return true;
  }
}
