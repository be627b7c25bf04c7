import { type AdmissionWebhook, validatingWebhook } from "homeostat";
import { LocalWorkload } from "../api/local-workload.ts";
import { findingsOf, type WebhookTools } from "./admission.ts";
import { checkLocalWorkload } from "./local-workload-check.ts";

/** Builds the webhook that refuses LocalWorkloads that cannot or must not be used. */
export function localWorkloadWebhook(tools: WebhookTools): AdmissionWebhook {
  return validatingWebhook({
    for: LocalWorkload,
    async *validate(object, old, context) {
      yield* findingsOf(await checkLocalWorkload({ object, old, context }, tools));
    },
  });
}
