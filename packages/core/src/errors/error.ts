/**
 * Root of every failure this project raises on purpose.
 *
 * `code` is stable and listed in `docs/reference/errors.md`; the wording of the message is not.
 */
export abstract class HomeostatError extends Error {
  /** Names the kind of failure for programs. Never changes once released. */
  abstract readonly code: string;

  /** Whether trying the same thing again, unchanged, could ever work. */
  get retryable(): boolean {
    return false;
  }

  override get name(): string {
    return this.constructor.name;
  }
}
