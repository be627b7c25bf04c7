import { HomeostatError } from "./error.ts";

/**
 * Thrown when a function is called with something it cannot work with: a mistake in the calling program.
 *
 * Nothing was done. The message names the argument, what is wrong with it and what would be right.
 */
export class ArgumentError extends HomeostatError {
  readonly code = "ARGUMENT";
  /** The argument, as the function calls it: `"owner.metadata.uid"`. */
  readonly argument: string;

  constructor({ argument, problem }: { argument: string; problem: string }, options?: ErrorOptions) {
    super(`${argument} ${problem}`, options);
    this.argument = argument;
  }
}
