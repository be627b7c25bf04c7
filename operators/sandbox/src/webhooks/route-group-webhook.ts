import { type AdmissionWebhook, validatingWebhook } from "homeostat";
import { RouteGroup } from "../api/route-group.ts";
import { findingsOf, type WebhookTools } from "./admission.ts";
import { checkRouteGroup } from "./route-group-check.ts";

/** Builds the webhook that refuses RouteGroups that cannot or must not be used. */
export function routeGroupWebhook(tools: WebhookTools): AdmissionWebhook {
  return validatingWebhook({
    for: RouteGroup,
    async *validate(object, old, context) {
      yield* findingsOf(await checkRouteGroup({ object, old, context }, tools));
    },
  });
}
