import { type Clock, formatGroupResource, type Random } from "@homeostat/core";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@homeostat/kubernetes/admissionregistration/v1";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import type { AccessRule, Logger, ReportMissingNamespace, Service, ServiceTools } from "@homeostat/runtime";
import type { Conversion } from "@homeostat/schema";
import {
  type AdmissionWebhook,
  type CaBundleTarget,
  CertificateKeeper,
  type CertificatePolicy,
  WebhookServer,
} from "@homeostat/webhook";
import type { KeyPair } from "@homeostat/x509";
import { type CertificateFolder, followFolder } from "../certificates/certificate-folder.ts";
import { serveWithCertificate } from "../certificates/serve-with-certificate.ts";
import { conversionPath } from "../manifests/names.ts";
import { clientBundleTarget, clientSecretStore, type PortClient } from "./client-ports.ts";
import { webhookObserver } from "./webhook-metrics.ts";

/** Where the certificate of webhooks comes from. */
export type CertificateOrigin =
  /** From files that are renewed externally, such as by cert-manager. */
  | CertificateFolder
  /** From a Secret that all replicas maintain. */
  | {
      readonly secret: {
        readonly name: string;
        readonly namespace: string;
        readonly labels?: Readonly<Record<string, string>>;
      };
      readonly policy: CertificatePolicy;
      /** The name of the webhook configurations whose `caBundle` is maintained, if the operator has any. */
      readonly configuration: string;
    };

/** Options of {@link webhookService}. */
export interface WebhookServiceOptions {
  readonly webhooks?: readonly AdmissionWebhook[];
  readonly conversions?: readonly Conversion[];
  readonly certificate: CertificateOrigin;
  /** Default 9443. With 0 the system chooses one and `onListening` gets it. */
  readonly port?: number;
  /** The address to listen on. Default: all. */
  readonly host?: string | undefined;
  /** Rights that maintaining the certificate needs. */
  readonly access?: readonly AccessRule[];
  /** How often certificates and bundles are checked, in milliseconds. Default 10,000. */
  readonly pollMs?: number;
  /** How long running requests may take to end when the service stops, in milliseconds. Default 10,000. */
  readonly graceMs?: number;
  readonly onListening?: (port: number) => void;
}

/**
 * Webhooks as a service of a manager: served over HTTPS in every process, with a certificate that is renewed in time.
 *
 * With a Secret the service checks every ten seconds whether the certificate is due and whether every CRD and webhook
 * configuration trusts it, so one that is installed later does not wait long. It is ready once it serves a valid
 * certificate. It retries until the API server can be reached, and logs each failure. Rejects with a `ListenError` when
 * the port is taken.
 */
export function webhookService(options: WebhookServiceOptions): (tools: ServiceTools) => Service {
  const { webhooks = [], conversions = [], access = [], port = 9443, host, graceMs = 10_000 } = options;
  return (tools) => {
    const { log, clock, registry } = tools;
    const meter = webhookObserver(registry, { log, paths: pathsOf(options), conversionPath });
    let isReady = (): boolean => false;
    return {
      name: "webhooks",
      when: "always",
      isReady: () => isReady(),
      access,
      async run(signal) {
        const { observer } = meter;
        const server = new WebhookServer({
          webhooks,
          conversions,
          conversionPath,
          clock,
          observer,
          health: () => isReady(),
        });
        let source: CertificateSource | undefined;
        isReady = () => server.isListening && source?.isHealthy() === true;
        meter.expiresAt(() => source?.expiresAt());
        try {
          await serveWithCertificate(
            {
              follow: (serve, inner) => {
                // All replicas write the Secret, each at a resource version, so none has to wait for a leader.
                source = certificateSource(options, { ...tools, client: tools.unfencedClient, serve });
                return source.run(inner);
              },
              open: async (certificate) => {
                const address = { certificate, port, ...(host === undefined ? {} : { host }) };
                const { port: chosen } = await server.listen(address);
                log.info("Serving webhooks", { port: chosen, paths: pathsOf(options) });
                options.onListening?.(chosen);
                return { renew: (pair) => server.reload(pair), close: () => server.stop({ graceMs }) };
              },
            },
            signal,
          );
        } finally {
          isReady = () => false;
        }
      },
    };
  };
}

interface CertificateSourceParts {
  readonly client: PortClient;
  readonly log: Logger;
  readonly clock: Clock;
  readonly serverClock: Clock;
  readonly reportMissingNamespace: ReportMissingNamespace;
  readonly random: Random;
  readonly serve: (pair: KeyPair) => void;
}

interface CertificateSource {
  run(signal: AbortSignal): Promise<void>;
  isHealthy(): boolean;
  expiresAt(): number | undefined;
}

function certificateSource(options: WebhookServiceOptions, parts: CertificateSourceParts): CertificateSource {
  const { certificate, pollMs = 10_000 } = options;
  const { client, log, clock, serverClock, random, serve, reportMissingNamespace } = parts;
  const onProblem = (error: unknown): void => {
    const isReported = "secret" in certificate && reportMissingNamespace(error, `Secret ${certificate.secret.name}`);
    if (!isReported) log.warn("Certificate sync failed, retrying", { error });
  };
  if ("folder" in certificate) {
    let hasOne = false;
    const told = (pair: KeyPair): void => {
      hasOne = true;
      serve(pair);
    };
    const following = { ...certificate, purpose: "webhooks", clock, log, pollMs, serve: told };
    return {
      run: (signal) => followFolder(following, signal),
      isHealthy: () => hasOne,
      expiresAt: () => undefined,
    };
  }
  const keeper = new CertificateKeeper({
    secret: clientSecretStore(client, certificate.secret),
    targets: targetsOf(options, client, certificate.configuration),
    policy: certificate.policy,
    serve,
    // The API server checks the validity of the certificate by its own clock, and all replicas share the rotation's times.
    clock: serverClock,
    random,
    pollMs,
    onProblem,
    onStep: (step) => log.info("Advanced certificate rotation", { step }),
  });
  return { run: (signal) => keeper.run(signal), isHealthy: () => keeper.isHealthy, expiresAt: () => keeper.expiresAt };
}

function targetsOf(
  { webhooks = [], conversions = [] }: WebhookServiceOptions,
  client: PortClient,
  configuration: string,
): CaBundleTarget[] {
  const has = (type: AdmissionWebhook["type"]): boolean => webhooks.some((webhook) => webhook.type === type);
  return [
    ...conversions.map(({ resource }) =>
      clientBundleTarget(client, CustomResourceDefinition, formatGroupResource(resource)),
    ),
    ...(has("mutating") ? [clientBundleTarget(client, MutatingWebhookConfiguration, configuration)] : []),
    ...(has("validating") ? [clientBundleTarget(client, ValidatingWebhookConfiguration, configuration)] : []),
  ];
}

function pathsOf({ webhooks = [], conversions = [] }: WebhookServiceOptions): string[] {
  return [...webhooks.map(({ path }) => path), ...(conversions.length === 0 ? [] : [conversionPath])];
}
