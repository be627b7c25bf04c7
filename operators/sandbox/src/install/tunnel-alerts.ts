import type { Alert, InstallationContext } from "@homeostat/operator";

/** Returns the alerts of the tunnel server. */
export function tunnelAlerts({ instance, namespace }: InstallationContext): Alert[] {
  const target = `{namespace="${namespace}",job=~".*${instance}.*"}`;
  return [
    {
      name: "SandboxTunnelServerDown",
      expr: `absent(up${target} == 1)`,
      for: "5m",
      severity: "critical",
      summary: "The tunnel server of sandbox environments is down",
      description:
        "Machines of developers cannot attach, and their LocalWorkloads fail. Check the pods of the Deployment.",
    },
    {
      name: "SandboxTunnelReconnects",
      expr: "sum(increase(tunnel_reconnects_total[10m])) > 10",
      for: "10m",
      summary: "Machines of developers reconnect often",
      description:
        "More than 10 machines have reconnected within 10 minutes. Check the load balancer in front of the tunnel server for short timeouts, and the restarts of its pods.",
    },
    {
      name: "SandboxTunnelCertificate",
      expr: "min(tunnel_certificate_expiry_timestamp_seconds) - time() < 7 * 86400",
      for: "1h",
      summary: "The certificate of the tunnel server expires within a week",
      description:
        "The sandbox operator renews it 30 days before. Check its log for failed certificate syncs, and the Secret with the certificate.",
    },
  ];
}
