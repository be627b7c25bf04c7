import type { KindStrategy } from "../../strategy.ts";
import { webhookCells } from "../cells.ts";
import { webhookPartDefaults, webhookValues } from "../defaults.ts";
import { checkWebhooks } from "../webhooks.ts";

/** ValidatingWebhookConfigurations: each webhook has either a URL or a Service. */
export const validatingWebhookConfigurationStrategy: KindStrategy = {
  group: "admissionregistration.k8s.io",
  plural: "validatingwebhookconfigurations",
  hasGeneration: true,
  requiresVersionOnUpdate: true,
  allowsAnyFinalizer: true,
  defaults: {
    ...webhookPartDefaults,
    "admissionregistration.v1.ValidatingWebhook": { values: webhookValues },
  },
  validate: checkWebhooks,
  table: { cells: webhookCells },
};
