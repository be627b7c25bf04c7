import { isRecord, type JsonRecord } from "@homeostat/core";
import type { Schema } from "@homeostat/schema";
import type { CustomColumn } from "../tables/custom-cells.ts";
import type { ScalePathsOfKind } from "../resources/served-kind.ts";
import { fieldOf, listOf, recordOf, textOf, textsOf } from "../values/properties.ts";

/** The names of a custom resource. */
export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** A version of a custom resource. */
export interface DefinitionVersion {
  readonly name: string;
  readonly isServed: boolean;
  readonly isStored: boolean;
  readonly isDeprecated: boolean;
  /** Warning for users of a deprecated version; undefined for the default text. */
  readonly deprecationWarning: string | undefined;
  readonly schema: Schema | undefined;
  readonly hasStatus: boolean;
  readonly scale: ScalePathsOfKind | undefined;
  readonly columns: readonly CustomColumn[];
  /** JSON paths of selectable fields: `.spec.color`. */
  readonly selectableFields: readonly string[];
}

/** The conversion between versions. */
export type DefinitionConversion =
  /** No conversion: all versions are equal except for their apiVersion. */
  { readonly strategy: "None" } | { readonly strategy: "Webhook"; readonly webhook: ConversionWebhook };

/** The location and protocol of a conversion webhook. */
export interface ConversionWebhook {
  readonly url: string | undefined;
  readonly service: WebhookService | undefined;
  /** Base64 of PEM certificates; system roots if empty. */
  readonly caBundle: string;
  readonly reviewVersions: readonly string[];
}

/** A webhook behind a Service. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** With leading slash; empty if there is none. */
  readonly path: string;
}

/** A parsed CustomResourceDefinition. */
export interface Definition {
  readonly name: string;
  readonly uid: string;
  readonly group: string;
  readonly scope: "Cluster" | "Namespaced";
  readonly names: DefinitionNames;
  /** The names that do not conflict with other definitions: the ones that are served. */
  readonly acceptedNames: DefinitionNames;
  readonly versions: readonly DefinitionVersion[];
  readonly conversion: DefinitionConversion;
  readonly conditions: readonly DefinitionCondition[];
}

/** A condition of a definition. */
export interface DefinitionCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string;
}

/** Parses a stored CustomResourceDefinition, which was validated before. */
export function readDefinition(object: JsonRecord): Definition {
  const [metadata, spec, status] = [recordOf(object, "metadata"), recordOf(object, "spec"), recordOf(object, "status")];
  return {
    name: textOf(metadata, "name"),
    uid: textOf(metadata, "uid"),
    group: textOf(spec, "group"),
    scope: textOf(spec, "scope") === "Cluster" ? "Cluster" : "Namespaced",
    names: readNames(fieldOf(spec, "names")),
    acceptedNames: readNames(fieldOf(status, "acceptedNames")),
    versions: listOf(spec, "versions").map(readVersion),
    conversion: readConversion(recordOf(spec, "conversion")),
    conditions: listOf(status, "conditions").map(readCondition),
  };
}

/** Parses names as in `spec.names` and `status.acceptedNames`. */
export function readNames(names: unknown): DefinitionNames {
  return {
    plural: textOf(names, "plural"),
    singular: textOf(names, "singular"),
    kind: textOf(names, "kind"),
    listKind: textOf(names, "listKind"),
    shortNames: textsOf(names, "shortNames"),
    categories: textsOf(names, "categories"),
  };
}

function readVersion(version: unknown): DefinitionVersion {
  const warning = fieldOf(version, "deprecationWarning");
  const schema = fieldOf(fieldOf(version, "schema"), "openAPIV3Schema");
  const subresources = fieldOf(version, "subresources");
  const scale = fieldOf(subresources, "scale");
  return {
    name: textOf(version, "name"),
    isServed: fieldOf(version, "served") === true,
    isStored: fieldOf(version, "storage") === true,
    isDeprecated: fieldOf(version, "deprecated") === true,
    deprecationWarning: typeof warning === "string" ? warning : undefined,
    schema: isSchema(schema) ? schema : undefined,
    hasStatus: isRecord(fieldOf(subresources, "status")),
    scale: isRecord(scale) ? readScale(scale) : undefined,
    columns: listOf(version, "additionalPrinterColumns").map(readColumn),
    selectableFields: listOf(version, "selectableFields").map((each) => textOf(each, "jsonPath")),
  };
}

/** Validation of definitions has checked every keyword, so any stored record is a schema. */
function isSchema(value: unknown): value is Schema {
  return isRecord(value);
}

function readScale(scale: JsonRecord): ScalePathsOfKind {
  const labelSelectorPath = textOf(scale, "labelSelectorPath");
  return {
    specReplicasPath: textOf(scale, "specReplicasPath"),
    statusReplicasPath: textOf(scale, "statusReplicasPath"),
    ...(labelSelectorPath === "" ? {} : { labelSelectorPath }),
  };
}

function readColumn(column: unknown): CustomColumn {
  const priority = fieldOf(column, "priority");
  return {
    name: textOf(column, "name"),
    type: textOf(column, "type"),
    jsonPath: textOf(column, "jsonPath"),
    format: textOf(column, "format"),
    description: textOf(column, "description"),
    priority: typeof priority === "number" ? priority : 0,
  };
}

function readConversion(conversion: JsonRecord): DefinitionConversion {
  if (textOf(conversion, "strategy") !== "Webhook") return { strategy: "None" };
  const webhook = recordOf(conversion, "webhook");
  const client = recordOf(webhook, "clientConfig");
  const [url, service] = [fieldOf(client, "url"), fieldOf(client, "service")];
  return {
    strategy: "Webhook",
    webhook: {
      url: typeof url === "string" ? url : undefined,
      service: isRecord(service) ? readService(service) : undefined,
      caBundle: textOf(client, "caBundle"),
      reviewVersions: textsOf(webhook, "conversionReviewVersions"),
    },
  };
}

function readService(service: JsonRecord): WebhookService {
  const port = fieldOf(service, "port");
  return {
    namespace: textOf(service, "namespace"),
    name: textOf(service, "name"),
    port: typeof port === "number" ? port : 443,
    path: textOf(service, "path"),
  };
}

function readCondition(condition: unknown): DefinitionCondition {
  const lastTransitionTime = textOf(condition, "lastTransitionTime");
  return {
    type: textOf(condition, "type"),
    status: textOf(condition, "status"),
    reason: textOf(condition, "reason"),
    message: textOf(condition, "message"),
    ...(lastTransitionTime === "" ? {} : { lastTransitionTime }),
  };
}

/** Reports whether a condition of a definition is True. */
export function isConditionTrue({ conditions }: Pick<Definition, "conditions">, type: string): boolean {
  return conditions.find((each) => each.type === type)?.status === "True";
}
