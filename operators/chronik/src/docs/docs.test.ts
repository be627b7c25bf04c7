import { describeDocs } from "@homeostat/operator-testing";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { reasons } from "../api/status.ts";
import { fieldReference } from "./field-reference.ts";

describeDocs({
  resource: ChronikCluster,
  fieldReference,
  runbook: {
    page: "docs/reference/chronik-runbook.md",
    conditions: reasons,
    eventSource: "operators/chronik/src/reconcile/events.ts",
    metricSource: "operators/chronik/src/metrics/chronik-metrics.ts",
    metricPrefix: "chronik_",
  },
});
