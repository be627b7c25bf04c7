import { isRecord, type KubeObject, podSecurityLabelPrefix } from "@homeostat/core";
import type { Namespace, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { toYaml } from "@homeostat/schema";
import type { Operator } from "../definition/operator.ts";
import { crdManifests } from "./crds.ts";
import { deploymentManifest } from "./deployment.ts";
import { enabledExtras } from "./extras.ts";
import { metadataOf } from "./metadata.ts";
import { networkPolicyManifest } from "./network-policy.ts";
import { type ManifestOptions } from "../installation/options.ts";
import { type Installation, installationOf } from "../definition/installation.ts";
import { accessManifests, metricsRoles, userRoleManifests } from "./rbac.ts";
import {
  disruptionBudgetManifest,
  metricsServiceManifest,
  programServiceManifest,
  webhookServiceManifest,
} from "./services.ts";
import { certManagerManifests, configurationManifests } from "./webhooks.ts";

/** An object of any kind. */
export interface Manifest extends KubeObject {
  readonly [field: string]: unknown;
}

/**
 * Returns every object that an operator needs to run in a cluster, in the order in which to apply them.
 *
 * A pure function: the same definition and options always give the same objects.
 *
 * @example
 * console.log(toYamlDocuments(operatorManifests(shop, { namespace: "shop-system", image: "example.com/shop:1.0.0" })));
 */
export function operatorManifests(operator: Operator, options: ManifestOptions = {}): Manifest[] {
  const installation = installationOf(operator, options);
  const { certificates } = installation;
  const { createNamespace = true, disruptionBudget = true, userRoles = false } = installation.options;
  const { metrics = true, metricsService = true, networkPolicy = true } = installation.options;
  const programService = programServiceManifest(installation);
  const { validating, mutating } = certificates === undefined ? {} : configurationManifests(installation);
  return [
    ...(createNamespace ? [namespaceManifest(installation)] : []),
    ...crdManifests(installation),
    serviceAccountManifest(installation),
    ...accessManifests(installation),
    ...metricsRoles(installation),
    ...(userRoles ? userRoleManifests(installation) : []),
    ...enabledExtras(installation),
    ...(networkPolicy ? [networkPolicyManifest(installation)] : []),
    ...(certificates === "cert-manager" ? certManagerManifests(installation) : []),
    ...(certificates === undefined ? [] : [webhookServiceManifest(installation)]),
    // A program with ports of its own serves metrics in the Service of these ports.
    ...(programService !== undefined
      ? [programService]
      : metrics && metricsService
        ? [metricsServiceManifest(installation)]
        : []),
    deploymentManifest(installation),
    ...(disruptionBudget ? [disruptionBudgetManifest(installation)] : []),
    ...companionManifests(installation),
    // Last: once these exist, API servers call the webhooks, so the pods that serve them must come first.
    ...[mutating, validating].filter((each) => each !== undefined),
  ].map(plain);
}

/** Returns the objects of the companions, which share the namespace of the operator. */
function companionManifests({ operator, instance, namespace, options }: Installation): Manifest[] {
  const { imagePullPolicy, imagePullSecrets, labels, annotations, logLevel } = options;
  const shared = { imagePullPolicy, imagePullSecrets, labels, annotations, logLevel };
  return operator.companions.flatMap((companion) => {
    const { name: key, isInstalled } = companion.asCompanion;
    const own = options.companions?.[key] ?? (isInstalled ? {} : false);
    if (own === false) return [];
    const name = instance === operator.name ? companion.name : `${instance}-${companion.name}`;
    return operatorManifests(companion, { ...shared, instance: name, ...own, namespace, createNamespace: false });
  });
}

/** Prints objects as YAML documents, each after a line `---`. The same objects always give the same text. */
export function toYamlDocuments(objects: readonly object[]): string {
  return objects.map((object) => `---\n${toYaml(object)}`).join("");
}

function namespaceManifest(installation: Installation): Namespace {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: metadataOf(installation, {
      name: installation.namespace,
      labels: { [`${podSecurityLabelPrefix}enforce`]: "restricted" },
    }),
  };
}

/** Returns the ServiceAccount of the pods. It mounts no token by default; the pods request one in their own spec. */
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

/** Copies an object as plain JSON. Some objects are shared or frozen, and the caller may change the result. */
function plain(object: object): Manifest {
  const copy: unknown = JSON.parse(JSON.stringify(object));
  if (!isManifest(copy)) throw new TypeError("a manifest must have kind and metadata");
  return copy;
}

function isManifest(value: unknown): value is Manifest {
  return isRecord(value) && typeof value["kind"] === "string" && isRecord(value["metadata"]);
}
