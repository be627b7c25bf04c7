import { HomeostatError } from "../errors/error.ts";

/**
 * The reason why a patch failed.
 *
 * - `malformed`: the patch is invalid.
 * - `missing`: it refers to a path that does not exist or has another type than the patch expects.
 * - `test-failed`: a `test` found another value; the document has changed since the patch was made.
 * - `too-large`: it has too many operations, or is too expensive to apply.
 * - `not-expressible`: the difference cannot be expressed in this format (a merge patch cannot set `null`).
 */
export type PatchFailureReason = "malformed" | "missing" | "test-failed" | "too-large" | "not-expressible";

/** The input of a {@link PatchError}. */
export interface PatchFailure {
  readonly reason: PatchFailureReason;
  /** The problem, without a full stop. */
  readonly problem: string;
  /** The index of the failed operation; undefined if the patch as a whole is invalid. */
  readonly index?: number | undefined;
  /** The `op` of the failed operation. */
  readonly op?: string | undefined;
  /** The JSON Pointer of the problem. */
  readonly path?: string | undefined;
}

const advice: Readonly<Record<PatchFailureReason, string>> = {
  malformed: "Correct the patch.",
  missing: "Read the object again and create a new patch.",
  "test-failed": "Read the object again and create a new patch.",
  "too-large": "Split the patch, or send the whole object.",
  "not-expressible": "Use a JSON patch or send the whole object.",
};

const shownMax = 200;

/**
 * Thrown when a patch cannot be created or applied. Nothing was changed.
 *
 * The message names the operation, its path and what to do. Not retryable: the same patch fails again on the same document.
 */
export class PatchError extends HomeostatError {
  readonly code = "PATCH";
  readonly reason: PatchFailureReason;
  readonly problem: string;
  readonly index: number | undefined;
  readonly op: string | undefined;
  readonly path: string | undefined;

  constructor({ reason, problem, index, op, path }: PatchFailure, options?: ErrorOptions) {
    const subject = index === undefined ? "patch" : `patch operation ${index}`;
    const what = [op, path === undefined ? undefined : JSON.stringify(cut(path))].filter((part) => part !== undefined);
    super(`${subject}${what.length > 0 ? ` (${what.join(" ")})` : ""}: ${problem}. ${advice[reason]}`, options);
    this.reason = reason;
    this.problem = problem;
    this.index = index;
    this.op = op;
    this.path = path;
  }
}

function cut(text: string): string {
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`;
}
