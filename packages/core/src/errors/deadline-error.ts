import { HomeostatError } from "./error.ts";

/**
 * The reason of a signal that a clock aborted because its time was up.
 *
 * Whether what was cut short took effect is not known; trying again may work.
 */
export class DeadlineError extends HomeostatError {
  readonly code = "DEADLINE";
  /** How much time there was, in milliseconds. */
  readonly timeoutMs: number;

  constructor(timeoutMs: number, options?: ErrorOptions) {
    super(`not finished within ${Math.ceil(timeoutMs)} ms. Try again, or allow more time.`, options);
    this.timeoutMs = timeoutMs;
  }

  override get retryable(): boolean {
    return true;
  }
}
