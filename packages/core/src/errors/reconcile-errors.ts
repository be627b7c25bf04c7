import { type ErrorClass, HomeostatError } from "./error.ts";

/**
 * Throw it from a reconciler when only a changed spec can help: it is shown in the status and not retried until then.
 *
 * Not for something that is missing and may yet appear: watch that, or throw a {@link TransientError}.
 *
 * @example
 * throw new TerminalError({ reason: "EvenControllers", message: "spec.controllers is 2; a quorum needs an odd number" });
 */
export class TerminalError extends HomeostatError {
  readonly code = "TERMINAL";
  /** The reason for the condition that shows it, in CamelCase. */
  readonly reason: string;

  constructor({ reason, message }: { reason: string; message: string }, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Throw it from a reconciler for what passes by itself: it is retried, after `retryAfterMs` if that is given. */
export class TransientError extends HomeostatError {
  readonly code = "TRANSIENT";
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { retryAfterMs, ...options }: ErrorOptions & { retryAfterMs?: number } = {}) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }

  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return "transient";
  }
}
