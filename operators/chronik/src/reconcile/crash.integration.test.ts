import { afterEveryChange, afterSomeChanges, describeCrashes } from "@homeostat/operator-testing";
import { Bench } from "../testing/bench.ts";
import { quorumScenarios, scenarios } from "../testing/crash-scenarios.ts";

const suite = {
  cluster: () => Bench.start(),
  points: { sample: afterSomeChanges(1), exhaustive: afterEveryChange },
  settling: { settleMs: 20_000, quietMs: 200_000, quietSteps: 40 },
  changesMin: 5,
};

describeCrashes("an operator that crashes", { ...suite, scenarios });
describeCrashes("an operator of several voters that crashes", {
  ...suite,
  scenarios: quorumScenarios,
  points: { ...suite.points, sampleMax: 2 },
});
