import { deploymentScenarios } from "./deployments.ts";
import { jobScenarios } from "./jobs.ts";
import { replicaSetScenarios } from "./replica-sets.ts";
import type { Scenario } from "./scenario.ts";
import { statefulScenarios } from "./stateful-sets.ts";

/** All scenarios: what a user and a kubelet do, and the controllers make something of. */
export const scenarios: readonly Scenario[] = [
  ...replicaSetScenarios,
  ...deploymentScenarios,
  ...statefulScenarios,
  ...jobScenarios,
];
