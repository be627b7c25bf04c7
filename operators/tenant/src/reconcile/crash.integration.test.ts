import { afterEveryChange, afterSomeChanges, describeCrashes } from "@homeostat/operator-testing";
import { Bench } from "../testing/bench.ts";
import { scenarios } from "../testing/crash-scenarios.ts";

describeCrashes("an operator that crashes", {
  cluster: () => Bench.start({ parts: "api" }),
  scenarios,
  points: { sample: afterSomeChanges(1), exhaustive: afterEveryChange },
  settling: { settleMs: 2_000, quietMs: 400_000, quietSteps: 6 },
  changesMin: 5,
});
