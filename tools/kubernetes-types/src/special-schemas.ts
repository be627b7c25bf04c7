/** A hand-written schema, for types that OpenAPI describes in less detail than a CRD needs. */
export interface SpecialSchema {
  /** Source of the object literal. */
  readonly schema: string;
  /** Doc comment that replaces the default one. */
  readonly comment?: string;
  /** Returns the TypeScript type of the fields that the schema keeps, given the name of the full type. */
  readonly narrow?: (type: string) => string;
}

/** Special schemas of `meta/v1` by type name. */
export const specialSchemas: ReadonlyMap<string, SpecialSchema> = new Map<string, SpecialSchema>([
  ["Quantity", { schema: intOrString(", pattern: quantityPattern") }],
  ["IntOrString", { schema: intOrString("") }],
  ["Time", { schema: '{ type: "string", format: "date-time" }' }],
  ["MicroTime", { schema: '{ type: "string", format: "date-time" }' }],
  ["Duration", { schema: '{ type: "string" }' }],
  // Without the marker the server would prune all fields.
  ["RawExtension", { schema: '{ type: "object", "x-kubernetes-preserve-unknown-fields": true }' }],
  [
    "ObjectMeta",
    {
      comment:
        "The schema of the metadata of a template: the fields of `ObjectMeta` that a person sets. A bare object would lose them all.",
      narrow: (type) => `Pick<${type}, "annotations" | "finalizers" | "labels" | "name" | "namespace">`,
      schema: `{
  type: "object",
  properties: {
    annotations: stringMap,
    finalizers: { type: "array", items: string },
    labels: stringMap,
    name: string,
    namespace: string,
  },
}`,
    },
  ],
  [
    "Condition",
    {
      // The limits that CRD generators read from markers in the Go source of this type.
      comment: "The schema of a `Condition`, with the limits that its Go source asks of custom resources.",
      schema: `{
  type: "object",
  properties: {
    lastTransitionTime: time.schema,
    message: { type: "string", maxLength: 32768 },
    observedGeneration: { type: "integer", format: "int64", minimum: 0 },
    reason: { type: "string", maxLength: 1024, minLength: 1, pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$" },
    status: { type: "string", enum: ["True", "False", "Unknown"] },
    type: { type: "string", maxLength: 316, pattern: conditionTypePattern },
  },
  required: ["lastTransitionTime", "message", "reason", "status", "type"],
}`,
    },
  ],
]);

/** Long patterns, by the name of their constant. */
export const patterns: ReadonlyMap<string, string> = new Map([
  [
    "quantityPattern",
    String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
  ],
  [
    "conditionTypePattern",
    String.raw`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
  ],
]);

function intOrString(more: string): string {
  return `{ anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true${more} }`;
}
