import { controllerPanels, type Dashboard } from "@homeostat/operator";

/** Returns the dashboard of the operator: sandboxes, their resources and drift, groups, and the controllers. */
export function sandboxDashboard(): Dashboard {
  return {
    title: "Sandboxes",
    panels: [
      {
        title: "Sandboxes by phase",
        description: "Sandboxes in the phase Failed need a change by their users.",
        queries: [{ expr: "sum by (phase) (sandbox_count)", legend: "{{phase}}" }],
      },
      {
        title: "Time until sandboxes are ready",
        description: "From the creation of a sandbox until it was ready for the first time, for nine of ten sandboxes.",
        unit: "s",
        queries: [
          { expr: "histogram_quantile(0.9, sum by (le) (rate(sandbox_ready_seconds_bucket[30m])))", legend: "90 %" },
        ],
      },
      {
        title: "CPU limits of forks by namespace",
        description: "Cores that the forks of a namespace may use. SandboxPolicies limit the sum.",
        queries: [{ expr: 'sum by (namespace) (sandbox_fork_resources{resource="cpu"})', legend: "{{namespace}}" }],
      },
      {
        title: "Memory limits of forks by namespace",
        description: "Bytes that the forks of a namespace may use. SandboxPolicies limit the sum.",
        unit: "bytes",
        queries: [{ expr: 'sum by (namespace) (sandbox_fork_resources{resource="memory"})', legend: "{{namespace}}" }],
      },
      {
        title: "Forks that differ from their baseline",
        description: "Forks whose driftPolicy is Pin or Notify stay behind. Others are derived again within a minute.",
        queries: [{ expr: "sum by (namespace) (sandbox_drift)", legend: "{{namespace}}" }],
      },
      {
        title: "Sandboxes of groups",
        description: "Sandboxes that each RouteGroup includes.",
        queries: [{ expr: "routegroup_matched_sandboxes", legend: "{{namespace}}/{{group}}" }],
      },
      {
        title: "Expired sandboxes",
        description: "Sandboxes deleted in an hour because their lifetime had ended.",
        queries: [{ expr: "sum by (namespace) (increase(sandbox_expirations_total[1h]))", legend: "{{namespace}}" }],
      },
      {
        title: "Duration of deletions",
        description: "From the deletion of a sandbox until all of its objects were gone, for nine of ten sandboxes.",
        unit: "s",
        queries: [
          { expr: "histogram_quantile(0.9, sum by (le) (rate(sandbox_cleanup_seconds_bucket[30m])))", legend: "90 %" },
        ],
      },
      {
        title: "Services that are taken over",
        description: "Services whose requests go through the routing proxy, by namespace.",
        queries: [{ expr: "sum by (namespace) (takeover_active)", legend: "{{namespace}}" }],
      },
      ...controllerPanels("sandbox"),
      ...controllerPanels("routegroup"),
    ],
  };
}
