import type { RuleNode, SchemaNode } from "./node.ts";
import type { Schema, SchemaType, ValidationRule } from "./schema.ts";

const types: readonly SchemaType[] = ["object", "array", "string", "integer", "number", "boolean"];
const listTypes = ["atomic", "set", "map"] as const;
const mapTypes = ["granular", "atomic"] as const;
const reasons = ["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"] as const;

/** Returns the schema of a parsed node. Keywords with Go's zero value, and values that no API server accepts, are left out. */
export function schemaOf(node: SchemaNode): Schema {
  const type = types.find((known) => known === node.type);
  const listType = listTypes.find((known) => known === node.listType);
  const mapType = mapTypes.find((known) => known === node.mapType);
  const { additionalProperties } = node;
  return {
    ...(node.description !== "" && { description: node.description }),
    ...(node.title !== "" && { title: node.title }),
    ...(type !== undefined && { type }),
    ...(node.format !== "" && { format: node.format }),
    ...(node.nullable && { nullable: true }),
    ...(node.default !== undefined && { default: node.default }),
    ...(node.enum.length > 0 && { enum: node.enum }),
    ...(node.minLength !== undefined && { minLength: node.minLength }),
    ...(node.maxLength !== undefined && { maxLength: node.maxLength }),
    ...(node.pattern !== "" && { pattern: node.pattern }),
    ...(node.minimum !== undefined && { minimum: node.minimum }),
    ...(node.exclusiveMinimum && { exclusiveMinimum: true }),
    ...(node.maximum !== undefined && { maximum: node.maximum }),
    ...(node.exclusiveMaximum && { exclusiveMaximum: true }),
    ...(node.multipleOf !== undefined && { multipleOf: node.multipleOf }),
    ...(node.minItems !== undefined && { minItems: node.minItems }),
    ...(node.maxItems !== undefined && { maxItems: node.maxItems }),
    ...(node.minProperties !== undefined && { minProperties: node.minProperties }),
    ...(node.maxProperties !== undefined && { maxProperties: node.maxProperties }),
    ...(node.allOf.length > 0 && { allOf: node.allOf.map(schemaOf) }),
    ...(node.anyOf.length > 0 && { anyOf: node.anyOf.map(schemaOf) }),
    ...(node.oneOf.length > 0 && { oneOf: node.oneOf.map(schemaOf) }),
    ...(node.not !== undefined && { not: schemaOf(node.not) }),
    ...(node.required.length > 0 && { required: node.required }),
    ...(node.properties.size > 0 && {
      properties: Object.fromEntries([...node.properties].map(([name, child]) => [name, schemaOf(child)])),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === "boolean" ? additionalProperties : schemaOf(additionalProperties),
    }),
    ...(node.items !== undefined && { items: schemaOf(node.items) }),
    ...(listType !== undefined && { "x-kubernetes-list-type": listType }),
    ...(node.listMapKeys.length > 0 && { "x-kubernetes-list-map-keys": node.listMapKeys }),
    ...(mapType !== undefined && { "x-kubernetes-map-type": mapType }),
    ...(node.intOrString && { "x-kubernetes-int-or-string": true }),
    ...(node.embeddedResource && { "x-kubernetes-embedded-resource": true }),
    ...(node.preserveUnknownFields === true && { "x-kubernetes-preserve-unknown-fields": true }),
    ...(node.rules.length > 0 && { "x-kubernetes-validations": node.rules.map(ruleOf) }),
  };
}

function ruleOf({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: RuleNode): ValidationRule {
  const known = reasons.find((one) => one === reason);
  return {
    rule,
    ...(message !== "" && { message }),
    ...(messageExpression !== "" && { messageExpression }),
    ...(known !== undefined && { reason: known }),
    ...(fieldPath !== "" && { fieldPath }),
    ...(optionalOldSelf !== undefined && { optionalOldSelf }),
  };
}
