/** How the process of a container ended. */
export interface Exit {
  readonly exitCode: number;
  /** Default: `Completed` for 0, else `Error`. */
  readonly reason?: string | undefined;
  /** What it wrote to its termination message file. */
  readonly message?: string | undefined;
}

/** The longest termination message that is kept, in characters. */
export const terminationMessageMax = 4096;

/** The reason that is shown for an exit. */
export function exitReason({ exitCode, reason }: Exit): string {
  return reason ?? (exitCode === 0 ? "Completed" : "Error");
}
