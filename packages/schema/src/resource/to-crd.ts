import { isEqual } from "@homeostat/core";
import type { Resource, ResourceVersion } from "./resource.ts";
import type { Schema } from "../structural/schema.ts";
import type { CrdConversion, CrdVersion, CustomResourceDefinition, WebhookClient } from "./crd.ts";
import { orderSchema } from "../structural/order-schema.ts";

/** Options of {@link toCrd}. */
export interface CrdOptions {
  /**
   * The conversion webhook.
   *
   * Without one, versions whose schema differs from that of the storage version get `served: false`: with the conversion
   * strategy None the API server changes only the `apiVersion`, and fields that the schemas do not share would be pruned.
   */
  readonly conversionWebhook?: WebhookClient;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
}

/** By resource, the function that throws if its schemas have problems. */
const schemaChecks = new WeakMap<object, () => void>();

/** Sets the function that is called before the CRD of a resource is written. It throws if the schemas of the resource have problems. */
export function beforeCrd(resource: Resource, requireSound: () => void): void {
  schemaChecks.set(resource, requireSound);
}

/**
 * Returns the CustomResourceDefinition of a resource. Format it with `toYaml`.
 *
 * The order of keys is fixed, and values that the API server would drop are omitted, so that manifests can be compared as text.
 */
export function toCrd(resource: Resource, options: CrdOptions = {}): CustomResourceDefinition {
  schemaChecks.get(resource)?.();
  const { names } = resource;
  const versions = Object.values(resource.versions);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${names.plural}.${resource.group}`,
      ...(options.labels !== undefined && { labels: options.labels }),
      ...(options.annotations !== undefined && { annotations: options.annotations }),
    },
    spec: {
      group: resource.group,
      names: {
        kind: names.kind,
        listKind: names.listKind,
        plural: names.plural,
        singular: names.singular,
        ...(names.shortNames.length > 0 && { shortNames: names.shortNames }),
        ...(names.categories.length > 0 && { categories: names.categories }),
      },
      scope: resource.scope,
      conversion: conversionOf(options),
      versions: versions.map((version) => crdVersion(version, resource.schema, options)),
    },
  };
}

function conversionOf({ conversionWebhook: clientConfig }: CrdOptions): CrdConversion {
  if (clientConfig === undefined) return { strategy: "None" };
  return { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
}

function crdVersion(version: ResourceVersion, stored: Schema, options: CrdOptions): CrdVersion {
  const isConvertible = options.conversionWebhook !== undefined || isEqual(version.schema, stored);
  return {
    name: version.version,
    served: version.served && isConvertible,
    storage: version.storage,
    ...(version.deprecated && { deprecated: true }),
    ...(version.deprecationWarning !== undefined && { deprecationWarning: version.deprecationWarning }),
    schema: { openAPIV3Schema: orderSchema(version.schema) },
    ...((version.hasStatus || version.scale !== undefined) && {
      subresources: {
        ...(version.hasStatus && { status: {} }),
        ...(version.scale !== undefined && { scale: version.scale }),
      },
    }),
    ...(version.selectableFields.length > 0 && {
      selectableFields: version.selectableFields.map((jsonPath) => ({ jsonPath })),
    }),
    ...(version.columns.length > 0 && { additionalPrinterColumns: version.columns }),
  };
}
