import { type ErrorClass, HomeostatError } from "@homeostat/core";

/** Thrown by a manager that stopped because a controller or service failed. */
export class PartFailedError extends HomeostatError {
  readonly code = "PART_FAILED";
  /** The failed part: `controller/tenants`, `service/webhooks`. */
  readonly part: string;

  constructor(part: string, options: ErrorOptions) {
    const reason = options.cause instanceof Error ? options.cause.message : "it threw a value that is not an Error";
    super(
      `${part} failed and the manager stopped: ${reason.replace(/\.?$/, ".")} Fix the cause and restart the program.`,
      options,
    );
    this.part = part;
  }

  override get retryable(): boolean {
    return true;
  }
}

/** The cause of a {@link PartFailedError} when a controller returned before it was stopped. */
export class PartEndedError extends HomeostatError {
  readonly code = "PART_ENDED";

  constructor(part: string) {
    super(`${part} ended before it was stopped. This is a bug in its code.`);
  }
}

/** Thrown by a manager when controllers or services did not stop on shutdown. */
export class PartStuckError extends HomeostatError {
  readonly code = "PART_STUCK";
  readonly parts: readonly string[];

  constructor(parts: readonly string[]) {
    super(
      `${parts.join(", ")} did not stop in time, so the lease was not released and has to expire. Make long operations react to their AbortSignal.`,
    );
    this.parts = parts;
  }
}

/** The reason with which signals abort when the program stops. */
export class ShuttingDownError extends HomeostatError {
  readonly code = "SHUTTING_DOWN";

  constructor() {
    super("The program is shutting down. Stop; the next process continues.");
  }

  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return "transient";
  }
}
