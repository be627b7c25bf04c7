import { afterEveryChange, afterSomeChanges, describeCrashes } from "@homeostat/operator-testing";
import { meshScenarios, startMeshCluster } from "../testing/mesh-crash-scenarios.ts";

describeCrashes("an operator of mesh routes that crashes", {
  cluster: startMeshCluster,
  scenarios: meshScenarios,
  points: { sample: afterSomeChanges(4), exhaustive: afterEveryChange },
  settling: { settleMs: 20_000, quietMs: 400_000, quietSteps: 6 },
  changesMin: 5,
});
