import { certificateSuffix } from "../installation/names.ts";
import type { CertificateSource, ManifestOptions, OperatorSettings } from "../installation/options.ts";
import type { Operator } from "./operator.ts";

/** An installation with all defaults filled in. */
export interface Installation {
  readonly operator: Operator;
  readonly options: ManifestOptions;
  readonly instance: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  /** The name of the Service of the webhooks. */
  readonly webhookService: string;
  /** The name of the Secret with the webhook certificate. */
  readonly certificateSecret: string;
  readonly watchNamespaces: readonly string[];
  readonly settings: OperatorSettings;
  /** The issuer of the webhook certificate; undefined if no webhooks are installed. */
  readonly certificates: CertificateSource | undefined;
}

/** Fills in the defaults of the options: first those of the operator's `installation`, then the common ones. */
export function installationOf(operator: Operator, given: ManifestOptions = {}): Installation {
  // An option that is undefined must not override a default of the operator.
  const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const options: ManifestOptions = { ...operator.installation, ...defined };
  const { instance = operator.name, settings = {} } = options;
  const { webhooks } = operator.parts(settings);
  const hasWebhooks = (options.webhooks ?? true) && (webhooks.length > 0 || operator.conversions.length > 0);
  return {
    operator,
    options,
    instance,
    settings,
    namespace: options.namespace ?? `${instance}-system`,
    serviceAccount: options.serviceAccountName ?? instance,
    webhookService: options.webhookServiceName ?? `${instance}-webhook`,
    certificateSecret: options.webhookSecretName ?? `${instance}${certificateSuffix}`,
    watchNamespaces: options.watchNamespaces ?? [],
    certificates: hasWebhooks ? (options.certificates ?? "self-managed") : undefined,
  };
}
