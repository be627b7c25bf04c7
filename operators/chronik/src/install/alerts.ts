import type { Alert, InstallationContext } from "@homeostat/operator";

export function chronikAlerts({ instance, namespace }: InstallationContext): Alert[] {
  return [
    {
      name: "ChronikClusterNotReconciled",
      expr: "time() - chronik_operator_last_success_timestamp_seconds > 600",
      summary: "A cluster has not been reconciled successfully for ten minutes",
      description:
        "Cluster {{ $labels.namespace }}/{{ $labels.cluster }} fails to reconcile. Its status.lastError gives the reason.",
    },
    {
      name: "ChronikClusterFailed",
      expr: 'sum(chronik_operator_clusters{phase="Failed"}) > 0',
      for: "5m",
      summary: "A cluster is in the phase Failed",
      description: "kubectl get chronikclusters -A -o wide shows the cluster and the reason.",
    },
    {
      name: "ChronikRolloutBlocked",
      expr: "chronik_operator_rollout_blocked == 1",
      for: "30m",
      summary: "A rollout has been blocked for half an hour",
      description:
        "Restarts of cluster {{ $labels.namespace }}/{{ $labels.cluster }} wait for the gate {{ $labels.gate }}. status.rollout gives the details.",
    },
    {
      name: "ChronikDrift",
      expr: "sum by (kind) (increase(chronik_operator_drift_corrections_total[1h])) > 10",
      summary: "Objects of clusters keep drifting",
      description:
        "Drift of kind {{ $labels.kind }} was corrected more than ten times in an hour. Events name the field manager.",
    },
    {
      name: "ChronikCertificateExpires",
      expr: "chronik_operator_certificate_expiry_timestamp_seconds - time() < 7 * 86400",
      summary: "The certificate of a cluster expires within a week",
      description: "Renew the Secret of spec.security.tlsSecret of {{ $labels.namespace }}/{{ $labels.cluster }}.",
    },
    {
      name: "ChronikOperatorDown",
      expr: `absent(up{namespace="${namespace}",job=~".*${instance}.*"} == 1)`,
      for: "5m",
      severity: "critical",
      summary: "The operator of Chronik Stream clusters is down",
      description: "Clusters keep running, but drift is not corrected, and changes of clusters have no effect.",
    },
  ];
}
