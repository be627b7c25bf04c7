import { isRecord, type KubeObject } from "@homeostat/core";
import type { Namespace, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { toYaml } from "@homeostat/schema";
import type { Operator } from "../definition/operator.ts";
import { crdManifests } from "./crds.ts";
import { deploymentManifest } from "./deployment.ts";
import { wantedExtras } from "./extras.ts";
import { metadataOf } from "./metadata.ts";
import { networkPolicyManifest } from "./network-policy.ts";
import { type Installation, installationOf, type ManifestOptions } from "./options.ts";
import { accessManifests, metricsRoles, userRoleManifests } from "./rbac.ts";
import { disruptionBudgetManifest, metricsServiceManifest, webhookServiceManifest } from "./services.ts";
import { certManagerManifests, configurationManifests } from "./webhooks.ts";

/** An object of any kind, with its fields. */
export interface Manifest extends KubeObject {
  readonly [field: string]: unknown;
}

/**
 * Every object that an operator needs to run in a cluster, in the order in which to apply them.
 *
 * Pure: the same definition and options always give the same objects.
 *
 * @example
 * console.log(toYamlDocuments(operatorManifests(shop, { namespace: "shop-system", image: "example.com/shop:1.0.0" })));
 */
export function operatorManifests(operator: Operator, options: ManifestOptions = {}): Manifest[] {
  const installation = installationOf(operator, options);
  const { certificates } = installation;
  const { createNamespace = true, disruptionBudget = true, userRoles = false } = installation.options;
  const { metrics = true, metricsService = true, networkPolicy = true } = installation.options;
  const { validating, mutating } = certificates === undefined ? {} : configurationManifests(installation);
  return [
    ...(createNamespace ? [namespaceManifest(installation)] : []),
    ...crdManifests(installation),
    serviceAccountManifest(installation),
    ...accessManifests(installation),
    ...metricsRoles(installation),
    ...(userRoles ? userRoleManifests(installation) : []),
    ...wantedExtras(installation),
    ...(networkPolicy ? [networkPolicyManifest(installation)] : []),
    ...(certificates === "cert-manager" ? certManagerManifests(installation) : []),
    ...(certificates === undefined ? [] : [webhookServiceManifest(installation)]),
    ...(metrics && metricsService ? [metricsServiceManifest(installation)] : []),
    deploymentManifest(installation),
    ...(disruptionBudget ? [disruptionBudgetManifest(installation)] : []),
    // Last: from here on, API servers wait for the answers of the pods above.
    ...[mutating, validating].filter((each) => each !== undefined),
  ].map(plain);
}

/** Objects as YAML documents, each after a line of three dashes; the same objects always give the same text. */
export function toYamlDocuments(objects: readonly object[]): string {
  return objects.map((object) => `---\n${toYaml(object)}`).join("");
}

function namespaceManifest(installation: Installation): Namespace {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: metadataOf(installation, {
      name: installation.namespace,
      labels: { "pod-security.kubernetes.io/enforce": "restricted" },
    }),
  };
}

/** The account of the pods. Only they are given a token, as they ask for one. */
export function serviceAccountManifest(installation: Installation): ServiceAccount {
  const { namespace, serviceAccount, options } = installation;
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: metadataOf(installation, {
      name: serviceAccount,
      namespace,
      ...(options.serviceAccountAnnotations === undefined
        ? {}
        : { annotations: { ...options.serviceAccountAnnotations } }),
    }),
    automountServiceAccountToken: false,
  };
}

/** A copy that belongs to the caller alone, as plain JSON: kinds of several packages, some of which are read-only. */
function plain(object: object): Manifest {
  const copy: unknown = JSON.parse(JSON.stringify(object));
  if (!isManifest(copy)) throw new TypeError("a manifest has apiVersion, kind and metadata");
  return copy;
}

function isManifest(value: unknown): value is Manifest {
  return isRecord(value) && typeof value["kind"] === "string" && isRecord(value["metadata"]);
}
