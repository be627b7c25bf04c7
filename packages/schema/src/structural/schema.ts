import type { Json } from "../value/json.ts";

/** The types a schema node may have. */
export type SchemaType = "object" | "array" | "string" | "integer" | "number" | "boolean";

/**
 * A node of the OpenAPI v3 schema of a CustomResourceDefinition: the fields of `apiextensions.k8s.io/v1` `JSONSchemaProps` that a
 * structural schema may use.
 */
export interface Schema {
  readonly type?: SchemaType;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly example?: Json;
  readonly nullable?: boolean;

  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;

  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;

  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly Json[];

  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;

  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;

  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "granular" | "atomic";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** A CEL rule of a schema node, in the form of the CRD manifest (`x-kubernetes-validations`). */
export interface ValidationRule {
  /** The CEL expression. `self` is the value of the node, `oldSelf` its value before an update. */
  readonly rule: string;
  readonly message?: string;
  /** A CEL expression that returns the message. It has precedence over `message` unless its evaluation fails. */
  readonly messageExpression?: string;
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  /** JSON path, relative to this node, of the field that the problem is reported for, such as `.replicas`. */
  readonly fieldPath?: string;
  /** True to run a rule that uses `oldSelf` also on creation. `oldSelf` is then an optional value. */
  readonly optionalOldSelf?: boolean;
}
