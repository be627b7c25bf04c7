import { HomeostatError } from "homeostat";
import type { ErrorClass } from "@homeostat/core";

/** Thrown when an object of a test could not be created. It is always retried, whatever the response of the API server: a quota or policy may change. */
export class CreateFailedError extends HomeostatError {
  readonly code = "CREATE_FAILED";

  constructor(test: string, options: { readonly cause: unknown }) {
    const why = options.cause instanceof Error ? options.cause.message : String(options.cause);
    super(`Failed to create an object of LocustTest ${test}: ${why} The operator retries.`, options);
  }

  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return "unknown";
  }
}

/** Thrown when a test has progressed further than the cache shows: another process has worked on it. Nothing was changed. */
export class OutdatedViewError extends HomeostatError {
  readonly code = "OUTDATED_VIEW";

  constructor(test: string) {
    super(`LocustTest ${test} changed after this reconcile started. The operator reconciles it again.`);
  }

  override get retryable(): boolean {
    return true;
  }
}
