import { type ErrorClass, HomeostatError } from "@homeostat/core";

/** Thrown by a manager that stopped because one of its parts could not go on. */
export class PartFailedError extends HomeostatError {
  readonly code = "PART_FAILED";
  /** Which one: `controller/tenants`, `service/webhooks`. */
  readonly part: string;

  constructor(part: string, options: ErrorOptions) {
    const reason = options.cause instanceof Error ? options.cause.message : "it threw what is no error";
    super(
      `${part} failed, so the manager has stopped: ${reason.replace(/\.?$/, ".")} Mend it and start the program again.`,
      options,
    );
    this.part = part;
  }

  override get retryable(): boolean {
    return true;
  }
}

/** The cause when a controller's work ended though nobody told it to. */
export class PartEndedError extends HomeostatError {
  readonly code = "PART_ENDED";

  constructor(part: string) {
    super(`${part} ended without being told to. That is a mistake in its code.`);
  }
}

/** Thrown by a manager that was told to stop when parts of it went on all the same. */
export class PartStuckError extends HomeostatError {
  readonly code = "PART_STUCK";
  readonly parts: readonly string[];

  constructor(parts: readonly string[]) {
    super(
      `${parts.join(", ")} did not stop when told to, so the lease was left to run out. Let what takes long heed its AbortSignal.`,
    );
    this.parts = parts;
  }
}

/** The reason with which signals abort because the program stops. */
export class ShuttingDownError extends HomeostatError {
  readonly code = "SHUTTING_DOWN";

  constructor() {
    super("The program is shutting down. Put the work down; whoever runs next takes it up.");
  }

  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return "transient";
  }
}
