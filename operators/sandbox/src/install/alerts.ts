import type { Alert, InstallationContext } from "@homeostat/operator";

export function sandboxAlerts({ instance, namespace }: InstallationContext): Alert[] {
  const errors = `rate(controller_runtime_reconcile_errors_total{controller="sandbox",namespace="${namespace}"}[5m])`;
  const cleanups = "rate(sandbox_cleanup_seconds_bucket[30m])";
  return [
    {
      name: "SandboxReconcileErrors",
      expr: `sum(${errors}) > 0`,
      for: "10m",
      summary: "Sandbox reconciles fail",
      description: "Reconciles of sandboxes have failed for ten minutes. kubectl get sandboxes -A -o wide shows which.",
    },
    {
      name: "SandboxFailed",
      expr: 'sum by (namespace) (sandbox_count{phase="Failed"}) > 0',
      for: "30m",
      summary: "A sandbox has been in the phase Failed for half an hour",
      description: "Its condition Ready in namespace {{ $labels.namespace }} names the field or policy to change.",
    },
    {
      name: "SandboxTerminatingLong",
      expr: 'sum by (namespace) (sandbox_count{phase="Terminating"}) > 0',
      for: "15m",
      summary: "A sandbox has been terminating for a quarter of an hour",
      description:
        "An object of a sandbox in namespace {{ $labels.namespace }} has a finalizer that is not removed. The event CleanupStuck names it.",
    },
    {
      name: "SandboxCleanupSlow",
      expr: `histogram_quantile(0.9, sum by (le) (${cleanups})) > 300`,
      for: "10m",
      summary: "Sandboxes are deleted slowly",
      description: "One deletion in ten takes more than five minutes. Check for pods of forks that do not terminate.",
    },
    {
      name: "SandboxRoutesInconsistent",
      expr: "increase(sandbox_compiler_mismatch_total[1h]) > 0",
      summary: "Incrementally compiled routes differed from a full compilation",
      description:
        "The operator has published the fully compiled routes. Report this as a bug, with the log of the operator.",
    },
    {
      name: "SandboxTakeoverRestored",
      expr: "sum by (namespace) (increase(takeover_restores_total[15m])) > 0",
      summary: "A Service was restored because no routing proxy was ready",
      description:
        "Requests for sandboxes in namespace {{ $labels.namespace }} reach the baseline. Check the pods of the Deployment sandbox-proxy there.",
    },
    {
      name: "SandboxTakeoverConflict",
      expr: "sum by (namespace) (increase(takeover_conflicts_total[1h])) > 0",
      summary: "Another client keeps reverting a Service that is taken over",
      description:
        "The condition Conflict of a RouteTable in namespace {{ $labels.namespace }} names the client. Configure it to ignore the selector and target ports, or use another interception.",
    },
    {
      name: "SandboxOperatorDown",
      expr: `absent(up{namespace="${namespace}",job=~".*${instance}.*"} == 1)`,
      for: "5m",
      severity: "critical",
      summary: "The sandbox operator is down",
      description:
        "Forks keep running, but sandboxes do not expire, forks do not follow their baseline, and sandboxes cannot be created or changed.",
    },
  ];
}
