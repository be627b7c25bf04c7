import { HomeostatError } from "../errors/error.ts";

/** One thing wrong with a selector object, and where: `matchExpressions[0].operator`. */
export interface SelectorProblem {
  readonly path: string;
  readonly message: string;
}

/**
 * Thrown when a selector object cannot be a selector: an unknown operator, a missing value, a key that is no label key.
 *
 * `problems` has all of them. The API server refuses such an object, so retrying does not help.
 */
export class InvalidSelectorError extends HomeostatError {
  readonly code = "INVALID_SELECTOR";
  readonly problems: readonly SelectorProblem[];

  constructor(problems: readonly SelectorProblem[]) {
    const list = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
    super(`The label selector is not valid. Correct ${list}.`);
    this.problems = problems;
  }
}
