import { describeDocs } from "@homeostat/operator-testing";
import { reasons } from "../api/conditions.ts";
import { LocustTest } from "../api/locust-test.ts";
import { fieldReference } from "./field-reference.ts";

describeDocs({
  resource: LocustTest,
  fieldReference,
  runbook: {
    page: "docs/reference/locust-runbook.md",
    conditions: reasons,
    eventSource: "operators/locust/src/reconcile/events.ts",
    metricSource: "operators/locust/src/metrics/test-metrics.ts",
    metricPrefix: "locust_operator_",
  },
});
