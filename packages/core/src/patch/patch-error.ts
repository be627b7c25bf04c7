import { HomeostatError } from "../errors/error.ts";

/**
 * Why a patch failed.
 *
 * - `malformed`: the patch is not one; the same text never works.
 * - `missing`: it changes something that is not there, or has another shape than the patch expects.
 * - `test-failed`: a `test` found another value; the document is not the one the patch was made for.
 * - `too-large`: it has too many operations, or would cost too much to apply.
 * - `not-expressible`: a difference that this kind of patch cannot say (merge patches cannot set `null`).
 */
export type PatchFailureReason = "malformed" | "missing" | "test-failed" | "too-large" | "not-expressible";

/** What a {@link PatchError} is made of. */
export interface PatchFailure {
  readonly reason: PatchFailureReason;
  /** What is wrong, without a full stop. */
  readonly problem: string;
  /** Which operation failed, counted from 0; absent when the patch as a whole is wrong. */
  readonly index?: number | undefined;
  /** Its `op`, if it has one. */
  readonly op?: string | undefined;
  /** The JSON Pointer it is about. */
  readonly path?: string | undefined;
}

const advice: Readonly<Record<PatchFailureReason, string>> = {
  malformed: "Correct the patch.",
  missing: "Read the object again and make the patch for what is there.",
  "test-failed": "Read the object again and make the patch for what is there.",
  "too-large": "Split the patch, or send the whole object.",
  "not-expressible": "Use a JSON patch or send the whole object.",
};

const shownMax = 200;

/**
 * Thrown when a patch cannot be made or applied; nothing was changed.
 *
 * The message names the operation, its place and what to do. Applying the same patch to the same document fails again.
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
