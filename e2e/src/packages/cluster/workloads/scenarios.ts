import { deploymentScenarios } from "./deployments.ts";
import { jobScenarios } from "./jobs.ts";
import { replicaSetScenarios } from "./replica-sets.ts";
import type { Scenario } from "./scenario.ts";
import { statefulScenarios } from "./stateful-sets.ts";

/** All scenarios: actions of a user and a kubelet, to which the controllers react. */
export const scenarios: readonly Scenario[] = [
  ...replicaSetScenarios,
  ...deploymentScenarios,
  ...statefulScenarios,
  ...jobScenarios,
];
