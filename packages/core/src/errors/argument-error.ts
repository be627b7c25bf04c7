import { HomeostatError } from "./error.ts";

/**
 * Thrown when a function is called with an invalid argument, which is a bug in the calling program.
 *
 * Nothing was done. The message names the argument, the problem and the expected value.
 */
export class ArgumentError extends HomeostatError {
  readonly code = "ARGUMENT";
  /** The name of the argument: `"owner.metadata.uid"`. */
  readonly argument: string;

  constructor({ argument, problem }: { argument: string; problem: string }, options?: ErrorOptions) {
    super(`${argument} ${problem}`, options);
    this.argument = argument;
  }
}
