// The phase of a sandbox: a summary for humans. No decision depends on it.

import type { SandboxPhase } from "../api/sandbox.ts";

/** Input of {@link decidePhase}. */
export interface PhaseInput {
  readonly isDeleted: boolean;
  /** True if an error that a retry cannot resolve prevents the sandbox from running. */
  readonly hasPermanentError: boolean;
  readonly isReady: boolean;
  readonly previous: SandboxPhase | undefined;
  /** True if a request to the API server failed and will be retried. Such a failure never changes the phase. */
  readonly isRetrying: boolean;
}

/** Decides the phase; the first rule that applies wins. */
export function decidePhase({ isDeleted, hasPermanentError, isReady, previous, isRetrying }: PhaseInput): SandboxPhase {
  if (isDeleted) return "Terminating";
  if (isRetrying) return previous ?? "Pending";
  if (hasPermanentError) return "Failed";
  return isReady ? "Running" : "Pending";
}
