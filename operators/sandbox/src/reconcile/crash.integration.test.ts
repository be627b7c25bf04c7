import { afterEveryChange, afterSomeChanges, describeCrashes } from "@homeostat/operator-testing";
import { Bench } from "../testing/bench.ts";
import { scenarios } from "../testing/crash-scenarios.ts";

describeCrashes("an operator of sandboxes that crashes", {
  cluster: () => Bench.start(),
  scenarios,
  points: { sample: afterSomeChanges(2), exhaustive: afterEveryChange },
  settling: { settleMs: 20_000, quietMs: 400_000, quietSteps: 6 },
  changesMin: 5,
});
