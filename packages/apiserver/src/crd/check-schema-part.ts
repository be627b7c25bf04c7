import { checkSchema } from "@homeostat/schema";
import type { Field } from "../validation/field.ts";
import { keywordsOf, printSchema } from "./internal-form.ts";
import { invalidJson } from "./problems.ts";

const allowedWithStatus: readonly string[] =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations".split(
    " ",
  );

/** Validates the `schema` of a version, or the one that all versions share. */
export function checkSchemaPart(validation: Field, { hasStatus }: { readonly hasStatus: boolean }): void {
  const schema = validation.at("openAPIV3Schema");
  if (!schema.isSet) return;
  if (hasStatus) checkStatusRoot(schema);
  for (const problem of checkSchema(schema.value, { path: schema.path })) validation.problems.push(problem);
}

/**
 * Validates the root of a schema with a status subresource. The status is validated separately by its own part of the
 * schema, so root keywords that would then be lost are not allowed. Reports at most one problem.
 */
function checkStatusRoot(schema: Field): void {
  for (const keyword of keywordsOf(schema.value)) {
    if (keyword === "Type" && schema.at("type").text !== "object") {
      schema
        .at("type")
        .invalid('only "object" is allowed as the type at the root of the schema if the status subresource is enabled');
      return;
    }
    if (allowedWithStatus.includes(keyword)) continue;
    const detail = `only [${allowedWithStatus.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`;
    invalidJson(schema, detail, schema.value, printSchema(schema.value));
    return;
  }
}
