import { type ErrorClass, HomeostatError } from "@homeostat/core";

/**
 * Thrown when something of the name that a tenant needs is there and was not made for it. It is left alone; delete it, or move
 * it away, and the tenant gets its own.
 */
export class ResourceConflictError extends HomeostatError {
  readonly code = "RESOURCE_CONFLICT";
  readonly object: string;

  constructor(object: string, tenant: string) {
    super(
      `${object} already exists and is not owned by Tenant ${tenant}. Delete or rename it; until then it is left alone.`,
    );
    this.object = object;
  }

  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return "transient";
  }
}
