// The volume of random suites. CI runs a sample with fixed seeds; `npm run e2e -- --full` runs everything.

/** Volumes of a random suite: numbers of rounds or requests, or seconds. */
export interface Volumes {
  /** For CI: enough to find faults that many inputs reveal. */
  readonly sample: number;
  /** For `--full`: finds faults that only few inputs reveal. */
  readonly full: number;
}

/** Returns the volume of this run. The environment variable of the suite overrides both. */
export function volume({ sample, full }: Volumes, variable?: string): number {
  const own = variable === undefined ? undefined : process.env[variable];
  if (own !== undefined && own !== "") return Number(own);
  return isFull() ? full : sample;
}

/** Reports whether the suites run with their full volume. */
export function isFull(): boolean {
  return process.env["HOMEOSTAT_FULL"] !== undefined;
}
