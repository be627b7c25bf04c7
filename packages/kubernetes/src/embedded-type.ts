/** The subset of structural OpenAPI v3 schemas that embedded types use. */
export interface EmbeddedSchema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly format?: string;
  readonly default?: string | number | boolean;
  readonly properties?: { readonly [name: string]: EmbeddedSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: EmbeddedSchema;
  readonly items?: EmbeddedSchema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly anyOf?: readonly EmbeddedSchema[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "granular" | "atomic";
}

declare const embeddedType: unique symbol;

/**
 * A Kubernetes type that a custom resource can embed, with the schema that its CRD needs.
 *
 * Schemas share their parts by reference: copy one before you change it.
 */
export interface EmbeddedType<T = unknown> {
  /** OpenAPI name of the type: `io.k8s.api.core.v1.PodSpec`. */
  readonly name: string;
  readonly schema: EmbeddedSchema;
  /** Type parameter carrier for the compiler; never set. */
  readonly [embeddedType]?: T;
}

/** The TypeScript type of an embedded type: `EmbeddedOf<typeof podSpec>` is `PodSpec`. */
export type EmbeddedOf<E extends EmbeddedType> = E extends EmbeddedType<infer T> ? T : never;
