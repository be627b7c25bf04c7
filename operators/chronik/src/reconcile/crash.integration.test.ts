import { afterEveryChange, afterSomeChanges, describeCrashes } from "@homeostat/operator-testing";
import { Bench } from "../testing/bench.ts";
import { scenarios } from "../testing/crash-scenarios.ts";

describeCrashes("an operator that crashes", {
  cluster: () => Bench.start(),
  scenarios,
  points: { sample: afterSomeChanges(1), exhaustive: afterEveryChange },
  settling: { settleMs: 20_000, quietMs: 200_000, quietSteps: 40 },
  changesMin: 5,
});
