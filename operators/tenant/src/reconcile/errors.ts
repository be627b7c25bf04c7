import { type ErrorClass, HomeostatError } from "@homeostat/core";

/**
 * Thrown when several things could not be done for a tenant in one pass. The next pass tries them again; what each was is in
 * `errors`, and the condition Ready of the tenant says the same.
 */
export class StepsFailedError extends HomeostatError {
  readonly code = "STEPS_FAILED";
  readonly errors: readonly unknown[];

  constructor(tenant: string, errors: readonly unknown[]) {
    const told = errors.map((error) => (error instanceof Error ? error.message : String(error))).join(" ");
    super(`${errors.length} steps of Tenant ${tenant} failed and are tried again: ${told}`, { cause: errors[0] });
    this.errors = errors;
  }

  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return "transient";
  }
}
