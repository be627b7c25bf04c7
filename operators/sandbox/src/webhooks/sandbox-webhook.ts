import { type AdmissionWebhook, validatingWebhook } from "homeostat";
import { Sandbox } from "../api/sandbox.ts";
import { findingsOf, type WebhookTools } from "./admission.ts";
import { checkSandbox } from "./sandbox-check.ts";

/** Builds the webhook that refuses Sandboxes that cannot or must not run. */
export function sandboxWebhook(tools: WebhookTools): AdmissionWebhook {
  return validatingWebhook({
    for: Sandbox,
    async *validate(object, old, context) {
      yield* findingsOf(await checkSandbox({ object, old, context }, tools));
    },
  });
}
