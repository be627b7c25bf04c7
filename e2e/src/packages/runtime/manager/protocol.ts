// What the test says to the programs it starts.

/** What a program is started with: the JSON text of its only argument. */
export interface ProgramOptions {
  readonly kubeconfig: string;
  /** Whose token it uses instead of what the kubeconfig says. */
  readonly token?: string;
  readonly namespace: string;
  readonly identity: string;
}

/** The election of the programs: as short as durations go. */
export const durations = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 500 };

/** The name of the programs, and of their Lease. */
export const programName = "manager-e2e";
