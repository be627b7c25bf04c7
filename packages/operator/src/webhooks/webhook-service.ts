import { type Clock, formatGroupResource, type Random } from "@homeostat/core";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@homeostat/kubernetes/admissionregistration/v1";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import type { AccessRule, Logger, Service, ServiceTools } from "@homeostat/runtime";
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
  /** From files that somebody else renews. */
  | CertificateFolder
  /** From a Secret that all replicas keep together. */
  | {
      readonly secret: {
        readonly name: string;
        readonly namespace: string;
        readonly labels?: Readonly<Record<string, string>>;
      };
      readonly policy: CertificatePolicy;
      /** The name of the webhook configurations whose `caBundle` is kept right, where there are some. */
      readonly configuration: string;
    };

/** Options of {@link webhookService}. */
export interface WebhookServiceOptions {
  readonly webhooks?: readonly AdmissionWebhook[];
  readonly conversions?: readonly Conversion[];
  readonly certificate: CertificateOrigin;
  /** Default 9443. With 0 one is chosen, which `onListening` is told. */
  readonly port?: number;
  /** The address to listen at. Default: all. */
  readonly host?: string | undefined;
  /** What looking after the certificate needs to be allowed. */
  readonly access?: readonly AccessRule[];
  /** How often certificates and bundles are looked at, in milliseconds. Default 10,000. */
  readonly pollMs?: number;
  /** How long running requests may take to end when the service stops, in milliseconds. Default 10,000. */
  readonly graceMs?: number;
  readonly onListening?: (port: number) => void;
}

/**
 * Webhooks as a service of a manager: served over HTTPS in every process, with a certificate that is kept right.
 *
 * With a Secret the service looks every ten seconds whether the certificate is due and whether every CRD and webhook
 * configuration trusts it, so one that is installed later need not wait long. It is ready once it serves a certificate
 * that is valid. Until the API server can be reached it tries again, and says so in the log.
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
                // Replicas keep the Secret together, each write at a version: none has to wait until one of them leads.
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
  const { client, log, clock, random, serve } = parts;
  const onProblem = (error: unknown): void => log.warn("The webhooks' certificate cannot be looked after", { error });
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
    clock,
    random,
    pollMs,
    onProblem,
    onStep: (step) => log.info("Took a step of the certificates' rotation", { step }),
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
