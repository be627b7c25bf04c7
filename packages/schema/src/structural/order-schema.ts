import type { Schema, ValidationRule } from "./schema.ts";

// Type and description come first, then limits, then children, then extensions and rules. The type requires all keywords of
// `Schema`, so that a new keyword cannot be forgotten here.
const order: { readonly [keyword in keyof Required<Schema>]: number } = {
  description: 0,
  title: 1,
  type: 2,
  format: 3,
  nullable: 4,
  default: 5,
  example: 6,
  enum: 7,
  minLength: 8,
  maxLength: 9,
  pattern: 10,
  minimum: 11,
  exclusiveMinimum: 12,
  maximum: 13,
  exclusiveMaximum: 14,
  multipleOf: 15,
  minItems: 16,
  maxItems: 17,
  minProperties: 18,
  maxProperties: 19,
  allOf: 20,
  anyOf: 21,
  oneOf: 22,
  not: 23,
  required: 24,
  properties: 25,
  additionalProperties: 26,
  items: 27,
  "x-kubernetes-list-type": 28,
  "x-kubernetes-list-map-keys": 29,
  "x-kubernetes-map-type": 30,
  "x-kubernetes-int-or-string": 31,
  "x-kubernetes-embedded-resource": 32,
  "x-kubernetes-preserve-unknown-fields": 33,
  "x-kubernetes-validations": 34,
};

const positions: ReadonlyMap<string, number> = new Map(Object.entries(order));

/** Returns the schema with the keywords of every node in a fixed order. Properties keep the order of their definition. */
export function orderSchema(schema: Schema): Schema {
  const { properties, items, additionalProperties, allOf, anyOf, oneOf, not } = schema;
  const rules = schema["x-kubernetes-validations"];
  const nested: Schema = {
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]): [string, Schema] => [name, orderSchema(property)]),
      ),
    }),
    ...(items !== undefined && { items: orderSchema(items) }),
    ...(typeof additionalProperties === "object" && { additionalProperties: orderSchema(additionalProperties) }),
    ...(allOf !== undefined && { allOf: allOf.map(orderSchema) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(orderSchema) }),
    ...(oneOf !== undefined && { oneOf: oneOf.map(orderSchema) }),
    ...(not !== undefined && { not: orderSchema(not) }),
    ...(rules !== undefined && { "x-kubernetes-validations": rules.map(orderRule) }),
  };
  const entries = Object.entries(nested).sort(([a], [b]) => (positions.get(a) ?? 0) - (positions.get(b) ?? 0));
  return Object.fromEntries(entries);
}

function orderRule({
  rule,
  message,
  messageExpression,
  reason,
  fieldPath,
  optionalOldSelf,
}: ValidationRule): ValidationRule {
  return {
    rule,
    ...(message !== undefined && { message }),
    ...(messageExpression !== undefined && { messageExpression }),
    ...(reason !== undefined && { reason }),
    ...(fieldPath !== undefined && { fieldPath }),
    ...(optionalOldSelf !== undefined && { optionalOldSelf }),
  };
}
