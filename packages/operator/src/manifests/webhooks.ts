import type { KubeObject } from "@homeostat/core";
import { clientConfig, webhookManifests, type WebhookLocation, type WebhookManifests } from "@homeostat/webhook";
import { metadataOf } from "./metadata.ts";
import { webhookHosts } from "../installation/names.ts";
import type { Installation } from "../definition/installation.ts";

/** Returns the Service at which API servers call the webhooks of an installation. */
export function locationOf({ webhookService, namespace }: Installation): WebhookLocation {
  return { service: { namespace, name: webhookService, port: 443 } };
}

/** Returns the `clientConfig` of the webhook at a path. */
export function clientConfigOf(installation: Installation, path: string): ReturnType<typeof clientConfig> {
  return clientConfig(locationOf(installation), path);
}

/** Returns the annotation that makes cert-manager inject the CA bundle; empty without cert-manager. */
export function caInjectionAnnotation({
  certificateSecret,
  namespace,
  certificates,
}: Installation): Record<string, string> {
  return certificates === "cert-manager"
    ? { "cert-manager.io/inject-ca-from": `${namespace}/${certificateSecret}` }
    : {};
}

/** Returns the webhook configurations of an installation. */
export function configurationManifests(installation: Installation): WebhookManifests {
  const { operator, settings, instance, namespace, options } = installation;
  const { webhookFailurePolicy: failurePolicy = "Fail", webhookTimeoutSeconds: timeoutSeconds = 5 } = options;
  const { labels = {}, annotations = {} } = metadataOf(installation, {
    name: instance,
    annotations: caInjectionAnnotation(installation),
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

/** An object of one of cert-manager's kinds. */
export interface CertManagerObject extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Returns the Issuer and the Certificate from which cert-manager issues the webhook certificate, self-signed. */
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
