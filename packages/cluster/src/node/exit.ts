/** The exit of a container's process. */
export interface Exit {
  readonly exitCode: number;
  /** Default: `Completed` for exit code 0, else `Error`. */
  readonly reason?: string | undefined;
  /** Content of the termination message file. */
  readonly message?: string | undefined;
}

/** Longest termination message; the end is kept. */
export const terminationMessageMax = 4096;

/** Returns the reason that the status shows for an exit. */
export function exitReason({ exitCode, reason }: Exit): string {
  return reason ?? (exitCode === 0 ? "Completed" : "Error");
}
