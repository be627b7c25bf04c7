import { HomeostatError } from "../errors/error.ts";

/** A problem of a selector in an object, with its path: `matchExpressions[0].operator`. */
export interface SelectorProblem {
  readonly path: string;
  readonly message: string;
}

/**
 * Thrown when a selector in an object is invalid: an unknown operator, a missing value, an invalid label key.
 *
 * `problems` has all of them. Not retryable: the API server rejects such an object.
 */
export class InvalidSelectorError extends HomeostatError {
  readonly code = "INVALID_SELECTOR";
  readonly problems: readonly SelectorProblem[];

  constructor(problems: readonly SelectorProblem[]) {
    const list = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
    super(`invalid label selector: ${list}.`);
    this.problems = problems;
  }
}
