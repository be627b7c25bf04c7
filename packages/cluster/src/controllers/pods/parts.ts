import type { Clock, Random } from "@homeostat/core";

/** What the controllers of workloads are made with. */
export interface WorkloadParts {
  readonly clock: Clock;
  readonly random: Random;
}
