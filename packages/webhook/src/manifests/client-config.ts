import type { WebhookClient } from "@homeostat/schema";
import { ArgumentError } from "@homeostat/core";

/** Where API servers find the webhooks of a program: a Service in the cluster, or a URL without a path. */
export type WebhookLocation =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  | { readonly url: string };

/**
 * How an API server calls the webhook with a path.
 *
 * Given to `crd({ conversionWebhook: clientConfig(location, "/convert") })` it is the conversion of a CRD. Without
 * `caBundle`: a `CertificateKeeper` fills that in, and so does cert-manager.
 */
export function clientConfig(location: WebhookLocation, path: string): WebhookClient {
  if ("service" in location) {
    const { namespace, name, port } = location.service;
    return { service: { namespace, name, path, ...(port !== undefined && { port }) } };
  }
  const url = new URL(location.url);
  if (url.protocol !== "https:") throw new ArgumentError({ argument: "url", problem: "has to begin with https:." });
  return { url: new URL(path, url).href };
}
