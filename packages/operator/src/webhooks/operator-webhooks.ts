import type { Service, ServiceTools } from "@homeostat/runtime";
import type { AdmissionWebhook } from "@homeostat/webhook";
import { accessPlan } from "../access/operator-access.ts";
import type { CertificateFolder } from "../certificates/certificate-folder.ts";
import { webhookHosts } from "../manifests/names.ts";
import { selectorLabels } from "../manifests/metadata.ts";
import type { Installation } from "../manifests/options.ts";
import { webhookService, type WebhookServiceOptions } from "./webhook-service.ts";

/** How an operator serves its webhooks. */
export interface OperatorWebhookOptions extends Pick<
  WebhookServiceOptions,
  "port" | "host" | "graceMs" | "pollMs" | "onListening" | "clientAuthorities"
> {
  /** A folder with a certificate that somebody renews. Default: the operator makes its own. */
  readonly certificate?: CertificateFolder | undefined;
  /** The webhooks of the manager that serves them. Default: those of the definition, which have nothing that `setup` makes. */
  readonly webhooks?: readonly AdmissionWebhook[] | undefined;
}

/** The webhooks of an operator as a service, under the names that its manifests give them; undefined where it has none. */
export function operatorWebhooks(
  installation: Installation,
  { certificate, webhooks: served, ...options }: OperatorWebhookOptions = {},
): ((tools: ServiceTools) => Service) | undefined {
  const { operator, instance, namespace, settings, certificates, certificateSecret } = installation;
  if (certificates === undefined) return undefined;
  const { webhooks } = served === undefined ? operator.parts(settings) : { webhooks: served };
  const { everywhere, own } = accessPlan({ ...installation, certificates: "self-managed" }).certificates;
  const common = { ...options, webhooks, conversions: operator.conversions };
  if (certificate !== undefined) return webhookService({ ...common, certificate });
  return webhookService({
    ...common,
    access: [...everywhere, ...own],
    certificate: {
      secret: { name: certificateSecret, namespace, labels: selectorLabels(installation) },
      policy: { hosts: webhookHosts(installation), commonName: instance },
      configuration: instance,
    },
  });
}
