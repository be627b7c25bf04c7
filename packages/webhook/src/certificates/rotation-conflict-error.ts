import { HomeostatError } from "@homeostat/core";

/** Thrown when the Secret or a bundle changed in every round of a sync. */
export class RotationConflictError extends HomeostatError {
  readonly code = "ROTATION_CONFLICT";

  constructor(rounds: number) {
    super(
      `The webhook certificates or a caBundle changed in each of ${rounds} attempts, so another program writes them too. ` +
        "Make sure that no other tool sets caBundle. The sync is retried.",
    );
  }

  override get retryable(): boolean {
    return true;
  }
}
