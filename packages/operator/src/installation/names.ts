// Names, ports and paths that the manifests and the running program must agree on.

/** Returns the name of the Lease for leader election. */
export function leaseName(instance: string, { leaseSuffix }: { readonly leaseSuffix: string | undefined }): string {
  return leaseSuffix === undefined ? instance : `${instance}.${leaseSuffix}`;
}

/** The default suffix of the Secret with the webhook certificate, after the name of the installation. */
export const certificateSuffix = "-webhook-certificates";

/** Returns the host names at which API servers call the webhooks; the certificate must be valid for them. */
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

/** Returns the name of the Service for metrics. */
export function metricsServiceName(instance: string): string {
  return `${instance}-metrics`;
}

/** Returns the host names of the Service for metrics; a self-signed certificate is issued for them. */
export function metricsHosts(instance: string, namespace: string): readonly string[] {
  const host = `${metricsServiceName(instance)}.${namespace}.svc`;
  return [host, `${host}.cluster.local`];
}

/** The default ports of the pods. */
export const ports = { metrics: 8080, health: 8081, webhook: 9443 } as const;

/** The time for which a pod keeps serving webhooks after SIGTERM: until every API server has seen that its endpoint was removed. */
export const drainSeconds = 3;

/** The mount path of an externally issued webhook certificate. */
export const certificateFolder = "/etc/webhook-certificates";

/** The mount path of the CAs that sign client certificates of API servers, and the file with them. */
export const clientCaFolder = "/etc/webhook-client-ca";
export const clientCaFile = "ca.crt";

/** The mount path of an externally issued metrics certificate. */
export const metricsCertificateFolder = "/etc/metrics-certificates";

/** The path of the readiness probe without webhooks. */
export const readyPath = "/readyz";

/**
 * The path of the readiness probe with webhooks: it checks the webhooks only.
 *
 * The webhook Service routes to ready pods only. With `/readyz`, a controller that lacks a permission would take admission down,
 * and a controller whose objects must be converted by this webhook first would deadlock: its cache never syncs while the pod is
 * not ready.
 */
export const webhookReadyPath = "/readyz/service/webhooks";

/** The path of the conversion webhook. */
export const conversionPath = "/convert";
