import { describeDocs } from "@homeostat/operator-testing";
import { kinds } from "../api/kinds.ts";
import { localWorkloadReasons } from "../api/local-workload.ts";
import { previewLinkReasons } from "../api/preview-link.ts";
import { routeGroupReasons } from "../api/route-group.ts";
import { routeTableReasons } from "../api/route-table.ts";
import { sandboxPolicyReasons } from "../api/sandbox-policy.ts";
import { sandboxReasons } from "../api/sandbox-status.ts";
import { fieldReference } from "./field-reference.ts";

const tables = [
  sandboxReasons,
  routeGroupReasons,
  localWorkloadReasons,
  sandboxPolicyReasons,
  routeTableReasons,
  previewLinkReasons,
];

/** Condition types with the same name exist in several kinds; the runbook explains the reasons of all. */
const conditions: Record<string, readonly string[]> = {};
for (const table of tables) {
  for (const [type, reasons] of Object.entries(table)) conditions[type] = [...(conditions[type] ?? []), ...reasons];
}

describeDocs({
  resource: Object.values(kinds),
  fieldReference,
  runbook: {
    page: "docs/reference/sandbox-runbook.md",
    conditions,
    eventSource: "operators/sandbox/src/reconcile/events.ts",
    metricSource: "operators/sandbox/src/metrics/sandbox-metrics.ts",
    metricPrefix: ["sandbox_", "routegroup_", "routetable_", "takeover_"],
  },
});
