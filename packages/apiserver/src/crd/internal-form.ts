// Prints parts of a definition as the real server does in its messages: in the form of its internal Go types, with all
// fields in the order of the Go source, including empty ones.

import { isList, isRecord } from "@homeostat/core";
import { encodeJson } from "../codec/encode-json.ts";
import { fieldOf } from "../values/properties.ts";

/** Converts a field value for printing. */
type Show = (value: unknown) => unknown;

/** Go field name, JSON name, and conversion of a field. */
type Row = readonly [goName: string, name: string, show: Show];

const text: Show = (value) => (typeof value === "string" ? value : "");
const flag: Show = (value) => value === true;
const maybe: Show = (value) => value ?? null;
/** Go prints map keys in sorted order. */
const json: Show = (value) => ordered(value ?? null);
const list =
  (show: Show): Show =>
  (value) =>
    isList(value) ? value.map(show) : null;
const map =
  (show: Show): Show =>
  (value) => {
    if (!isRecord(value)) return null;
    return Object.fromEntries(
      Object.keys(value)
        .toSorted()
        .map((key) => [key, show(value[key])]),
    );
  };
const struct =
  (rows: readonly Row[]): Show =>
  (value) =>
    isRecord(value)
      ? Object.fromEntries(rows.map(([goName, name, show]) => [goName, show(fieldOf(value, name))]))
      : null;

const schemaOr = (value: unknown): unknown => internalSchema(value);
const schemaOrBool: Show = (value) => {
  if (typeof value === "boolean") return { Allows: value, Schema: null };
  return isRecord(value) ? { Allows: true, Schema: internalSchema(value) } : null;
};

const rule = struct([
  ["Rule", "rule", text],
  ["Message", "message", text],
  ["MessageExpression", "messageExpression", text],
  ["Reason", "reason", maybe],
  ["FieldPath", "fieldPath", text],
  ["OptionalOldSelf", "optionalOldSelf", maybe],
]);

/** The keywords of a schema in the order of the Go type. */
const schemaRows: readonly Row[] = [
  ["ID", "id", text],
  ["Schema", "$schema", text],
  ["Ref", "$ref", maybe],
  ["Description", "description", text],
  ["Type", "type", text],
  ["Nullable", "nullable", flag],
  ["Format", "format", text],
  ["Title", "title", text],
  ["Default", "default", json],
  ["Maximum", "maximum", maybe],
  ["ExclusiveMaximum", "exclusiveMaximum", flag],
  ["Minimum", "minimum", maybe],
  ["ExclusiveMinimum", "exclusiveMinimum", flag],
  ["MaxLength", "maxLength", maybe],
  ["MinLength", "minLength", maybe],
  ["Pattern", "pattern", text],
  ["MaxItems", "maxItems", maybe],
  ["MinItems", "minItems", maybe],
  ["UniqueItems", "uniqueItems", flag],
  ["MultipleOf", "multipleOf", maybe],
  ["Enum", "enum", list(json)],
  ["MaxProperties", "maxProperties", maybe],
  ["MinProperties", "minProperties", maybe],
  ["Required", "required", list(text)],
  [
    "Items",
    "items",
    (value) => {
      if (isList(value)) return { Schema: null, JSONSchemas: value.map(schemaOr) };
      return isRecord(value) ? { Schema: internalSchema(value), JSONSchemas: null } : null;
    },
  ],
  ["AllOf", "allOf", list(schemaOr)],
  ["OneOf", "oneOf", list(schemaOr)],
  ["AnyOf", "anyOf", list(schemaOr)],
  ["Not", "not", schemaOr],
  ["Properties", "properties", map(schemaOr)],
  ["AdditionalProperties", "additionalProperties", schemaOrBool],
  ["PatternProperties", "patternProperties", map(schemaOr)],
  [
    "Dependencies",
    "dependencies",
    map((value) =>
      isList(value) ? { Schema: null, Property: value } : { Schema: internalSchema(value), Property: null },
    ),
  ],
  ["AdditionalItems", "additionalItems", schemaOrBool],
  ["Definitions", "definitions", map(schemaOr)],
  [
    "ExternalDocs",
    "externalDocs",
    struct([
      ["Description", "description", text],
      ["URL", "url", text],
    ]),
  ],
  ["Example", "example", json],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", maybe],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", flag],
  ["XIntOrString", "x-kubernetes-int-or-string", flag],
  ["XListMapKeys", "x-kubernetes-list-map-keys", list(text)],
  ["XListType", "x-kubernetes-list-type", maybe],
  ["XMapType", "x-kubernetes-map-type", maybe],
  ["XValidations", "x-kubernetes-validations", list(rule)],
];

const showSchema = struct(schemaRows);

function internalSchema(schema: unknown): unknown {
  return showSchema(schema);
}

const showVersion = struct([
  ["Name", "name", text],
  ["Served", "served", flag],
  ["Storage", "storage", flag],
  ["Deprecated", "deprecated", flag],
  ["DeprecationWarning", "deprecationWarning", maybe],
  ["Schema", "schema", struct([["OpenAPIV3Schema", "openAPIV3Schema", internalSchema]])],
  [
    "Subresources",
    "subresources",
    struct([
      ["Status", "status", struct([])],
      [
        "Scale",
        "scale",
        struct([
          ["SpecReplicasPath", "specReplicasPath", text],
          ["StatusReplicasPath", "statusReplicasPath", text],
          ["LabelSelectorPath", "labelSelectorPath", maybe],
        ]),
      ],
    ]),
  ],
  [
    "AdditionalPrinterColumns",
    "additionalPrinterColumns",
    list(
      struct([
        ["Name", "name", text],
        ["Type", "type", text],
        ["Format", "format", text],
        ["Description", "description", text],
        ["Priority", "priority", (value) => value ?? 0],
        ["JSONPath", "jsonPath", text],
      ]),
    ),
  ],
  ["SelectableFields", "selectableFields", list(struct([["JSONPath", "jsonPath", text]]))],
]);

/** Formats the versions of a definition for a message. */
export function printVersions(versions: unknown): string {
  return encodeJson(list(showVersion)(versions));
}

/** Formats a schema for a message. */
export function printSchema(schema: unknown): string {
  return encodeJson(internalSchema(schema));
}

/** Returns the Go names of the keywords that a schema uses, in the order of the Go type. */
export function keywordsOf(schema: unknown): string[] {
  return schemaRows
    .filter(([, name, show]) => {
      const shown = show(fieldOf(schema, name));
      return shown !== "" && shown !== false && shown !== null;
    })
    .map(([goName]) => goName);
}

function ordered(value: unknown): unknown {
  if (isList(value)) return value.map(ordered);
  return isRecord(value) ? map(ordered)(value) : value;
}
