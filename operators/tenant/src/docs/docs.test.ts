import { describeDocs } from "@homeostat/operator-testing";
import { reasons } from "../api/status.ts";
import { Tenant } from "../api/tenant.ts";
import { fieldReference } from "./field-reference.ts";

describeDocs({
  resource: Tenant,
  fieldReference,
  runbook: {
    page: "docs/reference/tenant-runbook.md",
    conditions: reasons,
    eventSource: "operators/tenant/src/reconcile/events.ts",
    metricSource: "operators/tenant/src/metrics/tenant-metrics.ts",
    metricPrefix: "neurallog_",
  },
});
