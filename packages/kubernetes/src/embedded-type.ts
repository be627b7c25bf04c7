/** The part of a structural OpenAPI v3 schema that the schemas of embedded types use. */
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
 * A type of Kubernetes' own that a custom resource can hold, with the schema its CRD needs for it.
 *
 * Schemas share their parts by reference: copy before changing one.
 */
export interface EmbeddedType<T = unknown> {
  /** The type's OpenAPI name: `io.k8s.api.core.v1.PodSpec`. */
  readonly name: string;
  readonly schema: EmbeddedSchema;
  /** Exists for the compiler only. */
  readonly [embeddedType]?: T;
}

/** The TypeScript type of an embedded type: `EmbeddedOf<typeof podSpec>` is `PodSpec`. */
export type EmbeddedOf<E extends EmbeddedType> = E extends EmbeddedType<infer T> ? T : never;
