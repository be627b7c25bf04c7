import { type ErrorClass, HomeostatError } from "@homeostat/core";

/**
 * Why a term ended.
 *
 * - `deadline`: no renewal succeeded in time: the server could not be reached, or the process stood still.
 * - `taken`: the Lease has another holder.
 * - `deleted`: the Lease is gone.
 * - `edited`: the Lease names this process, but with a record it did not write.
 * - `stopped`: the election was told to stop.
 * - `failed`: the work of the term threw.
 */
export type TermEnd = "deadline" | "taken" | "deleted" | "edited" | "stopped" | "failed";

const stories: Readonly<Record<TermEnd, string>> = {
  deadline: "the lease could not be renewed in time",
  taken: "another process holds the lease",
  deleted: "the Lease was deleted",
  edited: "the Lease was changed by somebody else",
  stopped: "the election was stopped",
  failed: "the work of the leader failed",
};

/** The reason with which the signal of a term aborts: this process leads no longer. */
export class LeadershipLostError extends HomeostatError {
  readonly code = "LEADERSHIP_LOST";
  /** Why the term ended. */
  readonly why: TermEnd;

  constructor({ lease, why }: { readonly lease: string; readonly why: TermEnd }) {
    super(`${lease}: leading has ended: ${stories[why]}. Put the work down; whoever leads next takes it up.`);
    this.why = why;
  }

  // In this process, when it leads again; or in another.
  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return "transient";
  }
}

/** Thrown by the check before a write when this process does not lead. Nothing was sent. */
export class NotLeaderError extends HomeostatError {
  readonly code = "NOT_LEADER";

  constructor(lease: string) {
    super(`${lease}: this process does not lead, so it may not write. Leave the write to the leader.`);
  }

  override get retryable(): boolean {
    return true;
  }
}
