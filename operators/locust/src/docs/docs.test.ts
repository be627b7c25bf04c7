import { describeDocs } from "@homeostat/operator-testing";
import { LocustTest } from "../api/locust-test.ts";
import { fieldReference } from "./field-reference.ts";

describeDocs({
  resource: LocustTest,
  fieldReference,
  runbook: {
    page: "docs/reference/locust-runbook.md",
    conditions: LocustTest.conditions,
    eventSource: "operators/locust/src/reconcile/events.ts",
    metricSource: "operators/locust/src/metrics/test-metrics.ts",
    metricPrefix: "locust_operator_",
  },
});
