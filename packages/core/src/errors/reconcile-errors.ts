import { type ErrorClass, HomeostatError } from "./error.ts";

/**
 * Throw it from a reconciler when only a change of the spec can help. It is reported in the status and not retried until then.
 *
 * Do not use it for a missing object that may still be created: watch that object, or throw a {@link TransientError}.
 *
 * @example
 * throw new TerminalError({ reason: "EvenControllers", message: "spec.controllers is 2; a quorum needs an odd number" });
 */
export class TerminalError extends HomeostatError {
  readonly code = "TERMINAL";
  /** The reason of the condition that reports it, in CamelCase. */
  readonly reason: string;

  constructor({ reason, message }: { reason: string; message: string }, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Throw it from a reconciler for a failure that goes away by itself. It is retried, after `retryAfterMs` if that is set. */
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
