import type { KindStrategy } from "../../strategy.ts";
import { webhookCells } from "../cells.ts";
import { webhookPartDefaults, webhookValues } from "../defaults.ts";
import { checkWebhooks } from "../webhooks.ts";

/** MutatingWebhookConfigurations: like validating ones, with a reinvocation policy. */
export const mutatingWebhookConfigurationStrategy: KindStrategy = {
  group: "admissionregistration.k8s.io",
  plural: "mutatingwebhookconfigurations",
  hasGeneration: true,
  requiresVersionOnUpdate: true,
  allowsAnyFinalizer: true,
  defaults: {
    ...webhookPartDefaults,
    "admissionregistration.v1.MutatingWebhook": { values: { ...webhookValues, reinvocationPolicy: "Never" } },
  },
  validate: checkWebhooks,
  table: { cells: webhookCells },
};
