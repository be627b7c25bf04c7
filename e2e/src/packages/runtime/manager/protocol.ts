// Options of the programs that the test starts.

/** Options of a program: the JSON in its only argument. */
export interface ProgramOptions {
  readonly kubeconfig: string;
  /** Token to use instead of the credentials in the kubeconfig. */
  readonly token?: string;
  readonly namespace: string;
  readonly identity: string;
}

/** Election durations of the programs: as short as allowed. */
export const durations = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 500 };

/** Name of the programs and of their Lease. */
export const programName = "manager-e2e";
