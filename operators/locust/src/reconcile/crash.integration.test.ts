import { afterEveryNthChange, beforeAndAfterEveryRequest, describeCrashes } from "@homeostat/operator-testing";
import { Bench } from "../testing/bench.ts";
import { scenarios } from "../testing/crash-scenarios.ts";

describeCrashes("an operator that crashes", {
  cluster: () => Bench.start({ parts: "api" }),
  scenarios,
  points: { sample: afterEveryNthChange(6), exhaustive: beforeAndAfterEveryRequest },
  settling: { settleMs: 3_000, quietMs: 150_000, quietSteps: 10 },
  changesMin: 6,
});
