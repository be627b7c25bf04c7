import type { Service, ServiceTools } from "@homeostat/runtime";
import type { AdmissionWebhook } from "@homeostat/webhook";
import { accessPlan } from "../access/operator-access.ts";
import type { CertificateFolder } from "../certificates/certificate-folder.ts";
import { webhookHosts } from "../installation/names.ts";
import { selectorLabels } from "../manifests/metadata.ts";
import type { Installation } from "../definition/installation.ts";
import { webhookService, type WebhookServiceOptions } from "./webhook-service.ts";

/** Options of {@link operatorWebhooks}. */
export interface OperatorWebhookOptions extends Pick<
  WebhookServiceOptions,
  "port" | "host" | "graceMs" | "pollMs" | "onListening" | "clientAuthorities"
> {
  /** A directory with an externally issued certificate. Default: the operator issues its own. */
  readonly certificate?: CertificateFolder | undefined;
  /** The webhooks from `Operator.forManager`. Default: those of `Operator.parts`, in which `provided()` throws. */
  readonly webhooks?: readonly AdmissionWebhook[] | undefined;
}

/** Returns the service that serves an operator's webhooks, with the names that its manifests use; undefined if it has no webhooks. */
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
