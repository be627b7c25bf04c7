import { HomeostatError } from "./error.ts";

/**
 * The reason of a signal that a clock aborted after a timeout.
 *
 * Whether the aborted operation took effect is unknown. A retry may succeed.
 */
export class DeadlineError extends HomeostatError {
  readonly code = "DEADLINE";
  /** The timeout, in milliseconds. */
  readonly timeoutMs: number;

  constructor(timeoutMs: number, options?: ErrorOptions) {
    super(`not finished within ${Math.ceil(timeoutMs)} ms. Retry, or allow more time.`, options);
    this.timeoutMs = timeoutMs;
  }

  override get retryable(): boolean {
    return true;
  }
}
