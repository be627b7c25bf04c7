import { HomeostatError } from "@homeostat/core";

/**
 * Thrown when the API server refused a write that a workload needs, for example a pod that exceeds a quota.
 *
 * It is always retried with back-off: the cause of the refusal may be removed at any time, and no watch event says
 * so.
 */
export class WorkloadRefusedError extends HomeostatError {
  readonly code = "WORKLOAD_REFUSED";
  /** Message of the API server. */
  readonly refusal: string;

  constructor({ owner, refusal }: { readonly owner: string; readonly refusal: string }, options?: ErrorOptions) {
    super(
      `The API server refused a write for ${owner}: ${refusal}. The write is retried; see the events of ${owner}.`,
      options,
    );
    this.refusal = refusal;
  }

  override get retryable(): boolean {
    return true;
  }
}
