import { HomeostatError } from "../errors/error.ts";

/** Thrown for an invalid command line. The message names each invalid argument and the accepted values. */
export class UsageError extends HomeostatError {
  readonly code = "USAGE";
}

/** Thrown when a program that the user named cannot be started: it does not exist, or is not executable. */
export class CommandStartError extends HomeostatError {
  readonly code = "COMMAND_START";

  constructor(program: string, cause: Error) {
    const isMissing = "code" in cause && cause.code === "ENOENT";
    const reason = isMissing ? "there is no such program on the PATH. Install it, or write its path" : cause.message;
    super(`Cannot start ${program}: ${reason}.`, { cause });
  }
}

/**
 * Returns the exit code of a program that failed with an error, as shells use them: 2 for a {@link UsageError}, 127 for a {@link CommandStartError},
 * otherwise 1.
 *
 * Scripts rely on the difference: after a 2 nothing was started, and a retry with the same arguments cannot succeed.
 */
export function exitCodeOf(error: unknown): 1 | 2 | 127 {
  if (error instanceof CommandStartError) return 127;
  return error instanceof UsageError ? 2 : 1;
}

/**
 * Formats an error for standard error: the message of a `HomeostatError`, which is written for users, or the stack of any
 * other error, which is a bug.
 */
export function failureTextOf(error: unknown): string {
  if (error instanceof HomeostatError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
