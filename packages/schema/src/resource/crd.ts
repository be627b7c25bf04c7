import type { Scope } from "@homeostat/core";
import type { PrinterColumn } from "./columns.ts";
import type { Scale } from "./definition.ts";
import type { Schema } from "../structural/schema.ts";

/** A CustomResourceDefinition (`apiextensions.k8s.io/v1`), with the fields that `toCrd` sets. */
export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: {
    readonly name: string;
    readonly labels?: { readonly [key: string]: string };
    readonly annotations?: { readonly [key: string]: string };
  };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
    readonly scope: Scope;
    readonly conversion: CrdConversion;
    readonly versions: readonly CrdVersion[];
  };
}

/** The strategy by which the API server converts between versions. */
export type CrdConversion =
  | { readonly strategy: "None" }
  | {
      readonly strategy: "Webhook";
      readonly webhook: { readonly clientConfig: WebhookClient; readonly conversionReviewVersions: readonly string[] };
    };

/** Address of a webhook: a Service in the cluster, or a URL. */
export interface WebhookClient {
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  readonly url?: string;
  /** CA certificates to verify the certificate of the webhook: PEM, base64-encoded. */
  readonly caBundle?: string;
}

/** A version in a CustomResourceDefinition. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema: { readonly openAPIV3Schema: Schema };
  readonly subresources?: { readonly status?: Readonly<Record<string, never>>; readonly scale?: Scale };
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
}
