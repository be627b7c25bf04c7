import type { KubeObject } from "@homeostat/core";
import { clientConfig, webhookManifests, type WebhookLocation, type WebhookManifests } from "@homeostat/webhook";
import { metadataOf } from "./metadata.ts";
import { webhookHosts } from "./names.ts";
import type { Installation } from "./options.ts";

/** Where API servers find the webhooks of an installation. */
export function locationOf({ webhookService, namespace }: Installation): WebhookLocation {
  return { service: { namespace, name: webhookService, port: 443 } };
}

/** How the webhook with a path is called, as API servers store it. */
export function clientConfigOf(installation: Installation, path: string): ReturnType<typeof clientConfig> {
  return clientConfig(locationOf(installation), path);
}

/** With cert-manager, the note that makes it fill in whom to trust. */
export function injectionNote({ certificateSecret, namespace, certificates }: Installation): Record<string, string> {
  return certificates === "cert-manager"
    ? { "cert-manager.io/inject-ca-from": `${namespace}/${certificateSecret}` }
    : {};
}

/** The webhook configurations of an installation. */
export function configurationManifests(installation: Installation): WebhookManifests {
  const { operator, settings, instance, namespace, options } = installation;
  const { webhookFailurePolicy: failurePolicy = "Fail", webhookTimeoutSeconds: timeoutSeconds = 5 } = options;
  const { labels = {}, annotations = {} } = metadataOf(installation, {
    name: instance,
    annotations: injectionNote(installation),
  });
  return webhookManifests({
    name: instance,
    webhooks: operator.parts(settings).webhooks,
    location: locationOf(installation),
    ownNamespace: namespace,
    failurePolicy,
    timeoutSeconds,
    labels,
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  });
}

/** Objects of cert-manager: an object of a kind that is not built in, with the fields it has. */
export interface CertManagerObject extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

/** What cert-manager makes the webhooks' certificate from: an authority that signs itself. */
export function certManagerManifests(installation: Installation): CertManagerObject[] {
  const { certificateSecret: name, namespace } = installation;
  const apiVersion = "cert-manager.io/v1";
  const metadata = metadataOf(installation, { name, namespace });
  return [
    { apiVersion, kind: "Issuer", metadata, spec: { selfSigned: {} } },
    {
      apiVersion,
      kind: "Certificate",
      metadata,
      spec: {
        secretName: name,
        dnsNames: [...webhookHosts(installation)],
        issuerRef: { kind: "Issuer", name },
        privateKey: { algorithm: "ECDSA", size: 256, rotationPolicy: "Always" },
      },
    },
  ];
}
