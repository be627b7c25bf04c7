import { type ErrorClass, HomeostatError } from "@homeostat/core";

/**
 * Thrown when an object of a test could not be made. It is tried again with growing pauses, whatever the API server said: a
 * quota is raised, a policy changes, somebody deletes what was in the way.
 */
export class CreateFailedError extends HomeostatError {
  readonly code = "CREATE_FAILED";

  constructor(object: string, options: { readonly cause: unknown }) {
    const why = options.cause instanceof Error ? options.cause.message : String(options.cause);
    super(
      `${object} could not be made: ${why} It is tried again; the condition Ready of the test says the same.`,
      options,
    );
  }

  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return "unknown";
  }
}

/**
 * Thrown when a test turns out to be further than the cache knew: another process has worked on it. Nothing was done; the next
 * pass sees it as it is.
 */
export class OutdatedViewError extends HomeostatError {
  readonly code = "OUTDATED_VIEW";

  constructor(test: string) {
    super(`LocustTest ${test} is further than it seemed when this pass began. It is looked at again.`);
  }

  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return "transient";
  }
}
