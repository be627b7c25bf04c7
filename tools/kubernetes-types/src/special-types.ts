/** A type that JSON Schema cannot describe, or that is better written by hand. */
export interface SpecialType {
  readonly type: string;
  readonly comment: string;
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const apiextensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";

/** Types that are generated as an alias instead of an interface. */
export const specialTypes: ReadonlyMap<string, SpecialType> = new Map([
  [
    "io.k8s.apimachinery.pkg.api.resource.Quantity",
    {
      type: "string | number",
      comment:
        'An exact amount such as `"500m"` or `"2Gi"`. A server answers with a string for its own kinds; in custom resources a number stays a number, as it was written.',
    },
  ],
  [
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    { type: "number | string", comment: 'A whole number, or a name or percentage: `8080`, `"http"`, `"25%"`.' },
  ],
  [
    "io.k8s.apimachinery.pkg.runtime.RawExtension",
    { type: "unknown", comment: "Any object, of a kind that the API does not know." },
  ],
  [`${meta}Time`, { type: "string", comment: "A moment in RFC 3339, to the second: `2026-01-02T03:04:05Z`." }],
  [
    `${meta}MicroTime`,
    { type: "string", comment: "A moment in RFC 3339 with six digits of a second: `2026-01-02T03:04:05.000000Z`." },
  ],
  [`${meta}Duration`, { type: "string", comment: "A length of time as Go writes it: `1h30m`, `250ms`." }],
  [
    `${meta}FieldsV1`,
    {
      type: "Record<string, unknown>",
      comment: "A set of fields as server-side apply records it: keys such as `f:spec`.",
    },
  ],
  [`${apiextensions}JSON`, { type: "unknown", comment: "Any JSON value." }],
  [
    `${apiextensions}JSONSchemaPropsOrArray`,
    { type: "JSONSchemaProps | JSONSchemaProps[]", comment: "One schema, or a schema per position." },
  ],
  [
    `${apiextensions}JSONSchemaPropsOrBool`,
    { type: "JSONSchemaProps | boolean", comment: "A schema, or whether anything at all is allowed." },
  ],
  [
    `${apiextensions}JSONSchemaPropsOrStringArray`,
    { type: "JSONSchemaProps | string[]", comment: "A schema, or names of properties." },
  ],
]);

/** Types that `@homeostat/core` defines; `meta/v1` re-exports them, so that each exists once. */
export const coreTypes: readonly string[] = ["ManagedFieldsEntry", "ObjectMeta", "OwnerReference"];
