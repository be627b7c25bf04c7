import { type ErrorClass, HomeostatError } from "@homeostat/core";

/**
 * The cause of the end of a term.
 *
 * - `deadline`: no renewal succeeded in time, because the server could not be reached or the process was suspended.
 * - `taken`: the Lease has another holder.
 * - `deleted`: the Lease was deleted.
 * - `edited`: the Lease names this process, but with a record that it did not write.
 * - `stopped`: the election was stopped.
 * - `failed`: `lead` threw an error.
 */
export type TermEnd = "deadline" | "taken" | "deleted" | "edited" | "stopped" | "failed";

const causes: Readonly<Record<TermEnd, string>> = {
  deadline: "the lease could not be renewed in time",
  taken: "another process holds the lease",
  deleted: "the Lease was deleted",
  edited: "the Lease was edited by another client",
  stopped: "the election was stopped",
  failed: "the leader failed",
};

/** The reason with which the signal of a term aborts: this process is not the leader any more. */
export class LeadershipLostError extends HomeostatError {
  readonly code = "LEADERSHIP_LOST";
  /** Cause of the end of the term. */
  readonly why: TermEnd;

  constructor({ lease, why }: { readonly lease: string; readonly why: TermEnd }) {
    super(`${lease}: leadership lost: ${causes[why]}. Stop writing; the next leader continues.`);
    this.why = why;
  }

  // The work succeeds in the next term, in this process or another one.
  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return "transient";
  }
}

/** Thrown by the check before a write when this process is not the leader. Nothing was sent. */
export class NotLeaderError extends HomeostatError {
  readonly code = "NOT_LEADER";

  constructor(lease: string) {
    super(`${lease}: this process is not the leader and must not write. Leave the write to the leader.`);
  }

  override get retryable(): boolean {
    return true;
  }
}
