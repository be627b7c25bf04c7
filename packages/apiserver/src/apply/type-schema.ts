/**
 * The parts of an OpenAPI schema that determine how values merge.
 *
 * The schema of a CustomResourceDefinition can be used directly. Schemas of built-in kinds refer to each other by name
 * and may have the older strategic merge markers, which apply where there is no list type.
 */
export interface TypeSchema {
  readonly $ref?: string;
  readonly allOf?: readonly TypeSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly properties?: { readonly [name: string]: TypeSchema };
  readonly additionalProperties?: TypeSchema | boolean;
  readonly items?: TypeSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

/** Returns the schema that a `$ref` names, or `undefined`. */
export type ResolveRef = (name: string) => TypeSchema | undefined;

const text: TypeSchema = { type: "string" };
const time: TypeSchema = { type: "string", format: "date-time" };

const ownerReference: TypeSchema = {
  type: "object",
  "x-kubernetes-map-type": "atomic",
  properties: {
    apiVersion: text,
    blockOwnerDeletion: { type: "boolean" },
    controller: { type: "boolean" },
    kind: text,
    name: text,
    uid: text,
  },
};

const managedFieldsEntry: TypeSchema = {
  type: "object",
  properties: {
    apiVersion: text,
    fieldsType: text,
    fieldsV1: { type: "object" },
    manager: text,
    operation: text,
    subresource: text,
    time,
  },
};

/** The schema of the `metadata` of every object. */
export const objectMetaSchema: TypeSchema = {
  type: "object",
  properties: {
    annotations: { type: "object", additionalProperties: text },
    creationTimestamp: time,
    deletionGracePeriodSeconds: { type: "integer" },
    deletionTimestamp: time,
    finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    generateName: text,
    generation: { type: "integer" },
    labels: { type: "object", additionalProperties: text },
    managedFields: { type: "array", items: managedFieldsEntry, "x-kubernetes-list-type": "atomic" },
    name: text,
    namespace: text,
    ownerReferences: {
      type: "array",
      items: ownerReference,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};

/** The fields that every object and every embedded resource has. */
export const objectFields: { readonly [name: string]: TypeSchema } = {
  apiVersion: text,
  kind: text,
  metadata: objectMetaSchema,
};
