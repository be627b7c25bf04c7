import type { KubeObject } from "@homeostat/core";
import type { InstallationPlace } from "@homeostat/operator";

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: "warning" | "critical" };
  readonly annotations: { readonly summary: string; readonly description: string };
}

/** The custom resource of the Prometheus operator. */
export interface PrometheusRule extends KubeObject {
  readonly spec: { readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[] };
}

/** Builds the alerts. Each description says where to look. */
export function alertRules({ instance, namespace }: InstallationPlace): PrometheusRule[] {
  const errors = `rate(controller_runtime_reconcile_errors_total{controller="tenant",namespace="${namespace}"}[5m])`;
  const durations = "rate(neurallog_tenant_reconciliation_duration_seconds_bucket[10m])";
  const rules: readonly AlertRule[] = [
    warning("TenantReconcileErrors", {
      expr: `sum(${errors}) > 0`,
      for: "5m",
      summary: "Tenant reconciles fail",
      description: "Reconciles of tenants have failed for five minutes. kubectl get tenants -o wide shows which.",
    }),
    warning("TenantReconcileSlow", {
      expr: `histogram_quantile(0.9, sum by (le) (${durations})) > 30`,
      for: "10m",
      summary: "Tenant reconciles are slow",
      description:
        "One reconcile in ten takes more than 30 seconds. Check the API server and the memory of the operator.",
    }),
    warning("TenantCreationFailed", {
      expr: 'sum(increase(neurallog_tenant_creation_total{result="failure"}[15m])) > 0',
      for: "0m",
      summary: "A tenant could not be created",
      description: "A tenant has the phase Failed. Its message and its events say why.",
    }),
    warning("TenantDeletionFailed", {
      expr: 'sum(increase(neurallog_tenant_deletion_total{result="failure"}[15m])) > 0',
      for: "0m",
      summary: "A tenant could not be deleted",
      description: "The namespace of a deleted tenant is stuck. The message of the tenant shows what is left in it.",
    }),
    warning("TenantResourceFailures", {
      expr: 'sum by (resource_type) (increase(neurallog_resource_creation_total{result="failure"}[15m])) > 0',
      for: "5m",
      summary: "Objects of tenants are rejected",
      description: "The API server rejects objects of kind {{ $labels.resource_type }}. The events of tenants say why.",
    }),
    {
      alert: "TenantOperatorDown",
      expr: `absent(up{namespace="${namespace}",job=~".*${instance}.*"} == 1)`,
      for: "5m",
      labels: { severity: "critical" },
      annotations: {
        summary: "The tenant operator is down",
        description:
          "Tenants keep running, but drift is not corrected, and tenants cannot be created or changed without the webhook.",
      },
    },
    warning("TenantTerminatingLong", {
      expr: 'sum(neurallog_tenant_count{phase="Terminating"}) > 0',
      for: "30m",
      summary: "A tenant has been terminating for half an hour",
      description:
        "An object in its namespace has a finalizer that is not removed. The message of the tenant names it.",
    }),
    warning("TenantDrift", {
      expr: "sum by (kind) (increase(neurallog_tenant_drift_corrected_total[1h])) > 10",
      for: "0m",
      summary: "Objects of tenants keep drifting",
      description:
        "Drift of kind {{ $labels.kind }} was corrected more than ten times in an hour. Events name the field manager.",
    }),
  ];
  return [
    {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "PrometheusRule",
      metadata: { name: instance, namespace },
      spec: { groups: [{ name: "neurallog-tenants", rules }] },
    },
  ];
}

function warning(
  alert: string,
  { expr, for: time, summary, description }: Record<"expr" | "for" | "summary" | "description", string>,
): AlertRule {
  return { alert, expr, for: time, labels: { severity: "warning" }, annotations: { summary, description } };
}
