import { checkSchema } from "@homeostat/schema";
import type { Field } from "../kinds/shared/field.ts";
import { keywordsOf, printSchema } from "./internal-form.ts";
import { invalidJson } from "./problems.ts";

const besideStatus: readonly string[] =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations".split(
    " ",
  );

/** Checks a `schema` of a version, or the one that all versions share. */
export function checkSchemaPart(validation: Field, { hasStatus }: { readonly hasStatus: boolean }): void {
  const schema = validation.at("openAPIV3Schema");
  if (!schema.isSet) return;
  if (hasStatus) checkStatusRoot(schema);
  for (const problem of checkSchema(schema.value, { path: schema.path })) validation.problems.push(problem);
}

/** The status is checked by itself, so the root may not say anything that would be lost then. One complaint is enough. */
function checkStatusRoot(schema: Field): void {
  for (const keyword of keywordsOf(schema.value)) {
    if (keyword === "Type" && schema.at("type").text !== "object") {
      schema
        .at("type")
        .invalid('only "object" is allowed as the type at the root of the schema if the status subresource is enabled');
      return;
    }
    if (besideStatus.includes(keyword)) continue;
    const detail = `only [${besideStatus.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`;
    invalidJson(schema, detail, schema.value, printSchema(schema.value));
    return;
  }
}
