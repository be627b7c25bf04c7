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
  type ClientCertificates,
  WebhookServer,
} from "@homeostat/webhook";
import type { KeyPair } from "@homeostat/x509";
import { type CertificateFolder, followFolder } from "../certificates/certificate-folder.ts";
import { type ClientAuthorityFile, followClientAuthorities } from "../certificates/client-authorities.ts";
import { serveWithCertificate } from "../certificates/serve-with-certificate.ts";
import { conversionPath } from "../installation/names.ts";
import { clientBundleTarget, clientSecretStore, type PortClient } from "../certificates/client-ports.ts";
import { webhookObserver } from "./webhook-metrics.ts";

/** The source of the webhook certificate. */
export type CertificateOrigin =
  /** Files that are renewed externally, for example by cert-manager. */
  | CertificateFolder
  /** A Secret that all replicas maintain. */
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
  /** Lets only API servers with a client certificate call admission webhooks. Default: every client may. */
  readonly clientAuthorities?: ClientAuthorityFile | undefined;
  /** Default 9443. With 0 the system chooses a port and passes it to `onListening`. */
  readonly port?: number;
  /** The address to listen on. Default: all. */
  readonly host?: string | undefined;
  /** The permissions that maintaining the certificate needs. */
  readonly access?: readonly AccessRule[];
  /** The interval at which certificates and bundles are checked, in milliseconds. Default 10,000. */
  readonly pollMs?: number;
  /** The grace period of running requests when the service stops, in milliseconds. Default 10,000. */
  readonly graceMs?: number;
  readonly onListening?: (port: number) => void;
}

/**
 * Returns a service that serves webhooks over HTTPS in every replica, with a certificate that is renewed in time.
 *
 * With a Secret, the service checks every ten seconds whether the certificate is due for renewal and whether the `caBundle` of
 * every CRD and webhook configuration is up to date, so that one that is installed later is trusted within that time. It is
 * ready once it serves a valid certificate. While the API server cannot be reached, it logs each failure and retries. Rejects
 * with a `ListenError` if the port is in use.
 */
export function webhookService(options: WebhookServiceOptions): (tools: ServiceTools) => Service {
  const { webhooks = [], conversions = [], access = [], port = 9443, host, graceMs = 10_000 } = options;
  return (tools) => {
    const { log, clock, registry } = tools;
    const meter = webhookObserver(registry, { log, clock, paths: pathsOf(options), conversionPath });
    let isReady = (): boolean => false;
    return {
      name: "webhooks",
      when: "always",
      isReady: () => isReady(),
      access,
      run: (signal) =>
        withClientAuthorities({ ...options, ...tools, signal }, async (clients) => {
          const server = new WebhookServer({
            webhooks,
            conversions,
            conversionPath,
            clock,
            observer: meter.observer,
            health: () => isReady(),
            clientCertificates: clients.current(),
          });
          clients.onChange((certificates) => server.reloadClientCertificates(certificates));
          let source: CertificateSource | undefined;
          isReady = () => server.isListening && source?.isHealthy() === true;
          meter.expiresAt(() => source?.expiresAt());
          try {
            await serveWithCertificate(
              {
                follow: (serve, inner) => {
                  // Unfenced: every replica may write the Secret. Writes carry a resourceVersion, so no leader is needed.
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
        }),
    };
  };
}

/** The current client CAs of webhooks, and changes of them. */
interface FollowedAuthorities {
  current(): ClientCertificates | undefined;
  onChange(run: (certificates: ClientCertificates) => void): void;
}

/** Calls `run` once the client CAs could be read from their file, or immediately if there is no file. */
async function withClientAuthorities(
  {
    clientAuthorities,
    pollMs,
    clock,
    log,
    signal,
  }: Pick<WebhookServiceOptions, "clientAuthorities" | "pollMs"> &
    Pick<ServiceTools, "clock" | "log"> & { readonly signal: AbortSignal },
  run: (clients: FollowedAuthorities) => Promise<void>,
): Promise<void> {
  if (clientAuthorities === undefined) return run({ current: () => undefined, onChange: () => undefined });
  const ending = new AbortController();
  let current: ClientCertificates | undefined;
  let change = (_certificates: ClientCertificates): void => undefined;
  let provideFirst = (): void => undefined;
  const first = new Promise<void>((resolve) => (provideFirst = resolve));
  const serve = (certificates: ClientCertificates): void => {
    current = certificates;
    provideFirst();
    change(certificates);
  };
  const following = followClientAuthorities(
    { ...clientAuthorities, serve, clock, log, pollMs },
    AbortSignal.any([signal, ending.signal]),
  );
  try {
    await Promise.race([first, following]);
    if (current !== undefined) await run({ current: () => current, onChange: (next) => (change = next) });
  } finally {
    ending.abort();
    await following;
  }
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
    let hasCertificate = false;
    const serveAndRecord = (pair: KeyPair): void => {
      hasCertificate = true;
      serve(pair);
    };
    const following = { ...certificate, purpose: "webhooks", clock, log, pollMs, serve: serveAndRecord };
    return {
      run: (signal) => followFolder(following, signal),
      isHealthy: () => hasCertificate,
      expiresAt: () => undefined,
    };
  }
  const keeper = new CertificateKeeper({
    secret: clientSecretStore(client, certificate.secret),
    targets: targetsOf(options, client, certificate.configuration),
    policy: certificate.policy,
    serve,
    // The API server validates the certificate by its own clock, and all replicas must agree on the times of the rotation.
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
