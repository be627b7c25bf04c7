import { describePermissions, describeSamples } from "@homeostat/operator-testing";
import { locustOperator } from "../operator.ts";
import { readSettings } from "../settings/settings.ts";
import { Bench } from "../testing/bench.ts";
import { scenarios } from "../testing/crash-scenarios.ts";

const operator = locustOperator(readSettings({}));
const namespace = "locust-system";

describeSamples({ operator, namespace, folder: new URL("../../samples/", import.meta.url) });

describePermissions({
  operator,
  namespace,
  cluster: () => Bench.start({ parts: "api" }),
  scenarios,
  settling: { settleMs: 3_000, quietMs: 150_000, quietSteps: 10 },
  unused: {
    "create configmaps": "stores the results of a run when spec.results asks for it",
    "delete services": "removes the Services of a test that is stopped before its Jobs started",
    "get jobs.batch": "reads a Job from the API server before it counts as deleted",
    "get services": "reads a Service from the API server before it counts as deleted",
    "list events": "finds out why a pod does not start",
  },
});
