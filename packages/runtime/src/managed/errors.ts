import { classify, type ErrorClass, HomeostatError } from "@homeostat/core";

/** A failed object of a managed set. */
export interface ObjectFailure {
  /** `Deployment default/web` */
  readonly object: string;
  readonly error: unknown;
}

/**
 * Thrown when objects of a managed set could not be written or deleted. All other objects of the set were processed.
 *
 * It is terminal only if every failure is: one permanently invalid object must not prevent retries of the others.
 */
export class ManagedObjectsError extends HomeostatError {
  readonly code = "MANAGED_OBJECTS_FAILED";
  readonly failures: readonly ObjectFailure[];

  constructor(owner: string, failures: readonly ObjectFailure[]) {
    const list = failures.map(
      ({ object, error }) => `${object}: ${error instanceof Error ? error.message : String(error)}`,
    );
    const count = failures.length === 1 ? "1 object" : `${failures.length} objects`;
    super(`${count} of ${owner} failed. ${list.join(" ")}`, { cause: causeOf(failures) });
    this.failures = failures;
  }

  override get retryable(): boolean {
    return this.errorClass !== "terminal";
  }

  override get errorClass(): ErrorClass {
    return classify(this.cause);
  }
}

function causeOf(failures: readonly ObjectFailure[]): unknown {
  const errors = failures.map(({ error }) => error);
  return errors.length === 1 ? errors[0] : new AggregateError(errors);
}
