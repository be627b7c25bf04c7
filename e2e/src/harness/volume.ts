// How much a random suite tries. A landing runs a sample with fixed seeds; `npm run e2e -- --full` runs everything.

/** The volumes of a random suite: rounds, requests, seconds, whatever it counts. */
export interface Volumes {
  /** For each landing: enough to find a fault that many inputs show. */
  readonly sample: number;
  /** With `--full`: for faults that only few inputs show. */
  readonly full: number;
}

/** Returns the volume of this run. An environment variable of the suite's own, if set, overrides both. */
export function volume({ sample, full }: Volumes, variable?: string): number {
  const own = variable === undefined ? undefined : process.env[variable];
  if (own !== undefined && own !== "") return Number(own);
  return isFull() ? full : sample;
}

/** Reports whether the suites run with their full volume. */
export function isFull(): boolean {
  return process.env["HOMEOSTAT_FULL"] !== undefined;
}
