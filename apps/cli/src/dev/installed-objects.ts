// The objects of an operator's manifests that a program on this machine needs in the cluster.

import { isList, isRecord, type KubeObject, ownValue, UsageError } from "@homeostat/core";

/** Address of the webhook server on this machine, and the authority that has signed its certificate. */
export interface WebhookServerAddress {
  readonly host: string;
  readonly port: number;
  /** PEM. */
  readonly authority: string;
}

const kinds = ["CustomResourceDefinition", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];

/**
 * Returns the CRDs and webhook configurations of manifests. Webhooks are called at an address of this machine instead of a Service. Without an address
 * there are no webhook configurations. Throws a {@link UsageError} for a CRD that converts by a webhook then: without conversion, objects would lose
 * the fields that only one version has.
 */
export function installedObjects(
  manifests: readonly KubeObject[],
  webhooks: WebhookServerAddress | undefined,
): KubeObject[] {
  return manifests
    .filter(({ kind }) => kinds.includes(kind))
    .filter(({ kind }) => webhooks !== undefined || kind === "CustomResourceDefinition")
    .map((object) =>
      object.kind === "CustomResourceDefinition" ? withConversion(object, webhooks) : withUrls(object, webhooks),
    );
}

/** Reports whether the manifests have webhooks: a webhook configuration, or a CRD with conversion. */
export function hasWebhooks(manifests: readonly KubeObject[]): boolean {
  return manifests.some((object) => object.kind.endsWith("WebhookConfiguration") || hasConversion(object));
}

function withUrls(object: KubeObject, server: WebhookServerAddress | undefined): KubeObject {
  const webhooks = isRecord(object) ? ownValue(object, "webhooks") : undefined;
  if (!isList(webhooks) || server === undefined) return object;
  return Object.assign({}, object, {
    webhooks: webhooks.map((webhook: unknown) =>
      isRecord(webhook)
        ? { ...webhook, clientConfig: clientConfigAt(ownValue(webhook, "clientConfig"), server) }
        : webhook,
    ),
  });
}

function withConversion(object: KubeObject, server: WebhookServerAddress | undefined): KubeObject {
  const conversion = conversionOf(object);
  if (conversion === undefined) return object;
  if (server === undefined)
    throw new UsageError(
      `The versions of ${object.metadata.name ?? "a CRD"} are converted by a webhook, for which the API server needs an address of this machine. Give one with --webhook-host ADDRESS.`,
    );
  const spec = isRecord(object) ? ownValue(object, "spec") : undefined;
  const webhook = ownValue(conversion, "webhook");
  const config = isRecord(webhook) ? ownValue(webhook, "clientConfig") : undefined;
  const changed = {
    ...conversion,
    webhook: { ...(isRecord(webhook) && webhook), clientConfig: clientConfigAt(config, server) },
  };
  return Object.assign({}, object, { spec: { ...(isRecord(spec) && spec), conversion: changed } });
}

/** Reports whether a webhook converts the versions of a CRD. */
export function hasConversion(object: KubeObject): boolean {
  return object.kind === "CustomResourceDefinition" && conversionOf(object) !== undefined;
}

/** Returns the conversion of a CRD if a webhook does it. */
function conversionOf(object: KubeObject): Readonly<Record<string, unknown>> | undefined {
  const spec = isRecord(object) ? ownValue(object, "spec") : undefined;
  const conversion = isRecord(spec) ? ownValue(spec, "conversion") : undefined;
  return isRecord(conversion) && ownValue(conversion, "strategy") === "Webhook" ? conversion : undefined;
}

function clientConfigAt(config: unknown, { host, port, authority }: WebhookServerAddress): object {
  const service = isRecord(config) ? ownValue(config, "service") : undefined;
  const path = isRecord(service) ? ownValue(service, "path") : undefined;
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    url: `https://${name}:${port}${typeof path === "string" ? path : "/"}`,
    caBundle: Buffer.from(authority).toString("base64"),
  };
}
