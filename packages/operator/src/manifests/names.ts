// The names that an installation and the running program both have to know.

/** The Lease of an installation's election. */
export function leaseName(instance: string, { leaseSuffix }: { readonly leaseSuffix: string | undefined }): string {
  return leaseSuffix === undefined ? instance : `${instance}.${leaseSuffix}`;
}

/** What the Secret of the webhooks' certificates is called after the installation, where it has no name of its own. */
export const certificateSuffix = "-webhook-certificates";

/** The names by which API servers call the webhooks. */
export function webhookHosts({
  webhookService,
  namespace,
}: {
  readonly webhookService: string;
  readonly namespace: string;
}): readonly string[] {
  const host = `${webhookService}.${namespace}.svc`;
  return [host, `${host}.cluster.local`];
}

/** The Service through which metrics are read. */
export function metricsServiceName(instance: string): string {
  return `${instance}-metrics`;
}

/** The names by which metrics are read. */
export function metricsHosts(instance: string, namespace: string): readonly string[] {
  const host = `${metricsServiceName(instance)}.${namespace}.svc`;
  return [host, `${host}.cluster.local`];
}

/** The ports of the pod, where nobody chooses others. */
export const ports = { metrics: 8080, health: 8081, webhook: 9443 } as const;

/** How long a pod goes on serving webhooks after it was told to stop: until every API server knows that it goes. */
export const drainSeconds = 3;

/** Where certificates are mounted that somebody else makes. */
export const certificateFolder = "/etc/webhook-certificates";

/** The mount path of the API servers' authorities, and the file with them. */
export const clientCaFolder = "/etc/webhook-client-ca";
export const clientCaFile = "ca.crt";

/** Where the certificate of metrics is mounted that somebody else makes. */
export const metricsCertificateFolder = "/etc/metrics-certificates";

/** The page that says whether a pod is ready. */
export const readyPath = "/readyz";

/**
 * The page that says so where webhooks are served: whether they are.
 *
 * API servers reach only pods that are ready. A controller that lacks a right must not take admission down with it, and one
 * whose objects have to be converted first would wait for itself.
 */
export const webhookReadyPath = "/readyz/service/webhooks";

/** The path under which conversions are answered. */
export const conversionPath = "/convert";
