import type { WebhookClient } from "@homeostat/schema";
import { ArgumentError } from "@homeostat/core";

/** Address of the webhooks of a program: a Service in the cluster, or a URL without a path. */
export type WebhookLocation =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  | { readonly url: string };

/**
 * Returns the `clientConfig` with which an API server calls the webhook with a path.
 *
 * Pass it to `crd({ conversionWebhook: clientConfig(location, "/convert") })` for the conversion of a CRD. It has no
 * `caBundle`: a `CertificateKeeper` or cert-manager sets it.
 */
export function clientConfig(location: WebhookLocation, path: string): WebhookClient {
  if ("service" in location) {
    const { namespace, name, port } = location.service;
    return { service: { namespace, name, path, ...(port !== undefined && { port }) } };
  }
  const url = new URL(location.url);
  if (url.protocol !== "https:") throw new ArgumentError({ argument: "url", problem: "must begin with https:." });
  return { url: new URL(path, url).href };
}
