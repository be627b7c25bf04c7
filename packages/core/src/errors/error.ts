/**
 * Whether it helps to try again.
 *
 * - `terminal`: the same thing will fail again; only a changed request, object or program can succeed.
 * - `transient`: it passes by itself, or by reading again what has changed; try again after a pause.
 * - `unknown`: it may pass, but somebody may have to act (grant a permission, install a resource, renew a certificate);
 *   try again with growing pauses and tell the user.
 */
export type ErrorClass = "terminal" | "transient" | "unknown";

/**
 * Root of every failure this project raises on purpose.
 *
 * `code` is stable and listed in `docs/reference/errors.md`; the wording of the message is not.
 */
export abstract class HomeostatError extends Error {
  /** Names the kind of failure for programs. Never changes once released. */
  abstract readonly code: string;

  /** Whether trying again (reading again, deciding again, and then the same) could ever work. */
  get retryable(): boolean {
    return false;
  }

  /** What a controller should do with it; see {@link ErrorClass}. */
  get errorClass(): ErrorClass {
    return this.retryable ? "transient" : "terminal";
  }

  override get name(): string {
    return this.constructor.name;
  }
}
