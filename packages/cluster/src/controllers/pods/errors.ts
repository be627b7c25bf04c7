import { HomeostatError } from "@homeostat/core";

/**
 * Thrown when the server refused what a workload needs, such as a pod that a quota forbids.
 *
 * Whatever the refusal was, it is tried again after a pause: what forbids a pod today may be gone tomorrow, and nothing
 * tells when.
 */
export class WorkloadRefusedError extends HomeostatError {
  readonly code = "WORKLOAD_REFUSED";
  /** What was refused, in the server's words. */
  readonly refusal: string;

  constructor({ owner, refusal }: { readonly owner: string; readonly refusal: string }, options?: ErrorOptions) {
    super(
      `${owner} cannot be made as it should be: ${refusal}. It is tried again; see the events of ${owner}.`,
      options,
    );
    this.refusal = refusal;
  }

  override get retryable(): boolean {
    return true;
  }
}
