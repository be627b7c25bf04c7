/**
 * The class of a failure: whether a retry can help.
 *
 * - `terminal`: a retry fails again; only a changed request, object or program can succeed.
 * - `transient`: the failure goes away by itself, or after reading changed objects again; retry with backoff.
 * - `unknown`: the failure may go away, but may need action of an administrator (grant a permission, install a CRD, renew a
 *   certificate); retry with backoff and report it to the user.
 */
export type ErrorClass = "terminal" | "transient" | "unknown";

/**
 * The base class of all errors that this project throws on purpose.
 *
 * `code` is stable and listed in `docs/reference/errors.md`; the text of the message is not.
 */
export abstract class HomeostatError extends Error {
  /** Identifies the kind of failure for programs. Never changes once released. */
  abstract readonly code: string;

  /** True if a retry, after reading current objects again, can succeed. */
  get retryable(): boolean {
    return false;
  }

  /** The class of the error, which determines how a controller handles it. */
  get errorClass(): ErrorClass {
    return this.retryable ? "transient" : "terminal";
  }

  override get name(): string {
    return this.constructor.name;
  }
}
