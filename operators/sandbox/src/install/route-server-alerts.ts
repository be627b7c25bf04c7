import type { Alert, InstallationContext } from "@homeostat/operator";

/** Returns the alerts of the route server. */
export function routeServerAlerts({ instance, namespace }: InstallationContext): Alert[] {
  const target = `{namespace="${namespace}",job=~".*${instance}.*"}`;
  return [
    {
      name: "SandboxRouteServerDown",
      expr: `absent(up${target} == 1)`,
      for: "5m",
      severity: "critical",
      summary: "The route server of sandbox environments is down",
      description:
        "Proxies keep their last route tables, but new sandboxes and changed routes have no effect. Check the pods of the Deployment.",
    },
    {
      name: "SandboxRouteConfigAge",
      expr: "max by (namespace) (routeserver_unconfirmed_seconds) > 60",
      for: "1m",
      summary: "Proxies use old route tables",
      description:
        "A proxy of namespace {{ $labels.namespace }} has not confirmed the newest tables for more than a minute. The log of the route server names tables that proxies rejected.",
    },
    {
      name: "SandboxRouteServerCertificate",
      expr: "min(routeserver_certificate_expiry_timestamp_seconds) - time() < 7 * 86400",
      for: "1h",
      summary: "The certificate of the route server expires within a week",
      description:
        "The sandbox operator renews it 30 days before. Check its log for failed certificate syncs, and the Secret with the certificate.",
    },
    {
      name: "SandboxRouteServerRefusals",
      expr: 'sum by (code) (rate(routeserver_refused_requests_total{code=~"401|403"}[5m])) > 0.1',
      for: "15m",
      summary: "The route server refuses proxies",
      description:
        "Requests have been refused with code {{ $labels.code }} for a quarter of an hour. 401: the token has expired or lacks the audience sandbox-routes. 403: it belongs to another namespace.",
    },
  ];
}
