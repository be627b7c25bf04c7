import { controllerPanels, type Dashboard } from "@homeostat/operator";

/** Returns the dashboard of the operator: its tenants, their quotas, and the operator itself. */
export function tenantDashboard(): Dashboard {
  return {
    title: "Tenants",
    panels: [
      {
        title: "Tenants by phase",
        description: "Tenants in the phase Failed need a change by a user. Their status messages give the reasons.",
        queries: [{ expr: "sum by (phase) (neurallog_tenant_count)", legend: "{{phase}}" }],
      },
      {
        title: "Creations and deletions",
        description: "Tenants that were created or deleted in an hour, by result.",
        queries: [
          { expr: "sum by (result) (increase(neurallog_tenant_creation_total[1h]))", legend: "created: {{result}}" },
          { expr: "sum by (result) (increase(neurallog_tenant_deletion_total[1h]))", legend: "deleted: {{result}}" },
        ],
      },
      {
        title: "Used quota",
        description: "The share of its quota that a tenant uses. Pods of a tenant at 1 are not created.",
        unit: "percentunit",
        queries: [{ expr: "neurallog_tenant_quota_used_ratio", legend: "{{tenant}} {{resource}}" }],
      },
      {
        title: "Corrected drift",
        description: "Objects that other clients changed. Events name the field manager.",
        queries: [{ expr: "sum by (kind) (increase(neurallog_tenant_drift_corrected_total[1h]))", legend: "{{kind}}" }],
      },
      {
        title: "Rejected objects",
        description: "Objects that the API server rejected in an hour. The events of the tenants give the reasons.",
        queries: [
          {
            expr: 'sum by (resource_type) (increase(neurallog_resource_creation_total{result="failure"}[1h]))',
            legend: "{{resource_type}}",
          },
        ],
      },
      ...controllerPanels("tenant"),
    ],
  };
}
