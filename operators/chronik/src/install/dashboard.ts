import { controllerPanels, type Dashboard } from "@homeostat/operator";

/** Returns the dashboard of the operator: its clusters, what blocks them, and the operator itself. */
export function chronikDashboard(): Dashboard {
  return {
    title: "Chronik Stream clusters",
    panels: [
      {
        title: "Clusters by phase",
        description:
          "Clusters in the phases Creating and Updating change. Those in the phase Failed need a change by a user.",
        queries: [{ expr: "sum by (phase) (chronik_operator_clusters)", legend: "{{phase}}" }],
      },
      {
        title: "Members that are not ready",
        description: "Desired members minus ready members. One at a time is normal during a rolling restart.",
        queries: [
          {
            expr: "sum by (namespace, cluster, component) (chronik_operator_cluster_desired_replicas - chronik_operator_cluster_ready_replicas) > 0",
            legend: "{{namespace}}/{{cluster}} {{component}}",
          },
        ],
      },
      {
        title: "Quorum",
        description: "1 while a majority of the voters of a cluster is ready. No controller restarts while it is 0.",
        queries: [
          {
            expr: 'chronik_operator_cluster_condition{type="QuorumHealthy"}',
            legend: "{{namespace}}/{{cluster}}",
          },
        ],
      },
      {
        title: "Blocked rollouts",
        description: "Gates that hold restarts back. The runbook explains each gate.",
        queries: [{ expr: "chronik_operator_rollout_blocked", legend: "{{namespace}}/{{cluster}} {{gate}}" }],
      },
      {
        title: "Restarts by the operator",
        description: "Pods that the operator restarted in an hour, by component and reason.",
        queries: [
          {
            expr: "sum by (component, reason) (increase(chronik_operator_restarts_total[1h]))",
            legend: "{{component}} {{reason}}",
          },
        ],
      },
      {
        title: "Errors by class and reason",
        description: "Transient errors end by themselves. Permanent ones are shown in status.lastError of the cluster.",
        unit: "ops",
        queries: [
          {
            expr: "sum by (class, reason, step) (rate(chronik_operator_errors_total[5m]))",
            legend: "{{class}} {{reason}} in {{step}}",
          },
        ],
      },
      {
        title: "Time since the last successful reconcile",
        description: "A running cluster is reconciled once per minute.",
        unit: "s",
        queries: [
          { expr: "time() - chronik_operator_last_success_timestamp_seconds", legend: "{{namespace}}/{{cluster}}" },
        ],
      },
      {
        title: "Time until certificates expire",
        description: "The condition CertificateValid warns before the expiry.",
        unit: "s",
        queries: [
          {
            expr: "chronik_operator_certificate_expiry_timestamp_seconds - time()",
            legend: "{{namespace}}/{{cluster}}",
          },
        ],
      },
      {
        title: "Written objects and corrected drift",
        description: "A cluster without changes causes no writes.",
        unit: "ops",
        queries: [
          {
            expr: 'sum by (kind, result) (rate(chronik_operator_applies_total{result!="unchanged"}[5m]))',
            legend: "{{kind}} {{result}}",
          },
          {
            expr: "sum by (kind) (rate(chronik_operator_drift_corrections_total[5m]))",
            legend: "drift of {{kind}}",
          },
        ],
      },
      {
        title: "Slowest steps of reconciles",
        description: "The average duration of each step. Traces show the requests of a step.",
        unit: "s",
        queries: [
          {
            expr: "sum by (step) (rate(chronik_operator_step_duration_seconds_sum[5m])) / sum by (step) (rate(chronik_operator_step_duration_seconds_count[5m]))",
            legend: "{{step}}",
          },
        ],
      },
      ...controllerPanels("chronikcluster"),
    ],
  };
}
