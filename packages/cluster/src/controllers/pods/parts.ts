import type { Clock, Random } from "@homeostat/core";

/** Dependencies shared by the workload controllers. */
export interface WorkloadParts {
  readonly clock: Clock;
  readonly random: Random;
}
