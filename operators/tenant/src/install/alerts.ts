import type { Alert, InstallationContext } from "@homeostat/operator";

export function tenantAlerts({ instance, namespace }: InstallationContext): Alert[] {
  const errors = `rate(controller_runtime_reconcile_errors_total{controller="tenant",namespace="${namespace}"}[5m])`;
  const durations = "rate(neurallog_tenant_reconciliation_duration_seconds_bucket[10m])";
  return [
    {
      name: "TenantReconcileErrors",
      expr: `sum(${errors}) > 0`,
      for: "5m",
      summary: "Tenant reconciles fail",
      description: "Reconciles of tenants have failed for five minutes. kubectl get tenants -o wide shows which.",
    },
    {
      name: "TenantReconcileSlow",
      expr: `histogram_quantile(0.9, sum by (le) (${durations})) > 30`,
      for: "10m",
      summary: "Tenant reconciles are slow",
      description:
        "One reconcile in ten takes more than 30 seconds. Check the API server and the memory of the operator.",
    },
    {
      name: "TenantCreationFailed",
      expr: 'sum(increase(neurallog_tenant_creation_total{result="failure"}[15m])) > 0',
      summary: "A tenant could not be created",
      description: "A tenant is in the phase Failed. Its status message and its events give the reason.",
    },
    {
      name: "TenantDeletionFailed",
      expr: 'sum(increase(neurallog_tenant_deletion_total{result="failure"}[15m])) > 0',
      summary: "A tenant could not be deleted",
      description:
        "The namespace of a deleted tenant is stuck. The status message of the tenant shows what blocks the deletion.",
    },
    {
      name: "TenantResourceFailures",
      expr: 'sum by (resource_type) (increase(neurallog_resource_creation_total{result="failure"}[15m])) > 0',
      for: "5m",
      summary: "Objects of tenants are rejected",
      description:
        "The API server rejects objects of kind {{ $labels.resource_type }}. The events of the tenants give the reason.",
    },
    {
      name: "TenantOperatorDown",
      expr: `absent(up{namespace="${namespace}",job=~".*${instance}.*"} == 1)`,
      for: "5m",
      severity: "critical",
      summary: "The tenant operator is down",
      description:
        "Tenants keep running, but drift is not corrected, and tenants cannot be created or changed without the webhook.",
    },
    {
      name: "TenantTerminatingLong",
      expr: 'sum(neurallog_tenant_count{phase="Terminating"}) > 0',
      for: "30m",
      summary: "A tenant has been terminating for half an hour",
      description:
        "An object in its namespace has a finalizer that is not removed. The status message of the tenant names it.",
    },
    {
      name: "TenantDrift",
      expr: "sum by (kind) (increase(neurallog_tenant_drift_corrected_total[1h])) > 10",
      summary: "Objects of tenants keep drifting",
      description:
        "Drift of kind {{ $labels.kind }} was corrected more than ten times in an hour. Events name the field manager.",
    },
  ];
}
