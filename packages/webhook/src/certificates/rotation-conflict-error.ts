import { HomeostatError } from "@homeostat/core";

/** Thrown when the Secret or a bundle kept changing while this replica tried to bring them together. */
export class RotationConflictError extends HomeostatError {
  readonly code = "ROTATION_CONFLICT";

  constructor(rounds: number) {
    super(
      `The webhook certificates or a caBundle changed in each of ${rounds} looks. Something else writes them too: ` +
        "let no other tool set caBundle. It is tried again.",
    );
  }

  override get retryable(): boolean {
    return true;
  }
}
