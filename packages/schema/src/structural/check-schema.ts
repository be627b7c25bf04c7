import { invalid, forbidden, type Problem } from "../problem/problem.ts";
import { CostAccount } from "../rules/cost.ts";
import { rulesCheck } from "../rules/check-rules.ts";
import { checkDefaults } from "./check-defaults.ts";
import { atRoot, checkNode } from "./check-node.ts";
import { checkStructural } from "./invariants.ts";
import type { SchemaNode } from "./node.ts";
import { readSchema } from "./read-schema.ts";
import { findUnsupported } from "./unsupported.ts";

/** How a schema is checked. */
export interface CheckSchemaOptions {
  /** Where the schema stands in its manifest; paths of problems begin with it. */
  readonly path?: string;
  /** Whether the version has a status subresource, which bars some keywords from the root. */
  readonly hasStatus?: boolean;
}

/**
 * Checks that a schema is one the API server would take in a CustomResourceDefinition, and reports all that is wrong.
 *
 * Takes JSON of any origin. Texts are those of the API server, which calls the place of the schema
 * `spec.validation.openAPIV3Schema` when all versions share it, else `spec.versions[0].schema.openAPIV3Schema`; pass
 * that as `path`. Where a value has the wrong JSON type the words are our own: the API server does not get as far.
 */
export function checkSchema(schema: unknown, options: CheckSchemaOptions = {}): Problem[] {
  return readAndCheck(schema, options).problems;
}

/** Reads and checks a schema. The node is of use when there are no problems. */
export function readAndCheck(
  schema: unknown,
  { path = "openAPIV3Schema", hasStatus = false }: CheckSchemaOptions,
): { readonly node: SchemaNode; readonly problems: Problem[] } {
  const { node, problems } = readSchema(schema, path);
  if (problems.length > 0) return { node, problems: [...problems] };
  return { node, problems: [...(hasStatus ? checkStatusRoot(node, path) : []), ...checkReadSchema(node, path)] };
}

const besideStatus: ReadonlySet<string> = new Set(
  "description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems multipleOf required items properties externalDocs example x-kubernetes-preserve-unknown-fields x-kubernetes-validations".split(
    " ",
  ),
);

/** The status is validated by itself, so the root may not say anything that would be lost then. */
function checkStatusRoot({ keywords, type }: SchemaNode, path: string): Problem[] {
  if (type !== "" && type !== "object") {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${path}.type`, { value: type }, detail)];
  }
  const barred = [...keywords].filter((keyword) => !besideStatus.has(keyword));
  const detail = `${barred.join(", ")} cannot be used at the root of the schema if the status subresource is enabled`;
  return barred.length === 0 ? [] : [invalid(path, {}, detail)];
}

/** Checks a schema that could be read. */
function checkReadSchema(node: SchemaNode, path: string): Problem[] {
  const nullable = node.nullable ? [forbidden(`${path}.nullable`, "nullable cannot be true at the root")] : [];
  const unsupported = findUnsupported(node);
  const structural = unsupported === undefined ? checkStructure(node, path) : [];
  // The types of rules can be told only in a schema that is structural and whose defaults hold.
  const isSound = unsupported === undefined && structural.length === 0;
  const account = isSound ? new CostAccount() : undefined;
  const found = checkNode(node, path, atRoot, undefined, rulesCheck(account));
  const problems = [...nullable, ...structural, ...found.schema, ...found.rules];
  if (problems.length === 0 && unsupported !== undefined) problems.push(invalid(path, { value: "" }, unsupported));
  return [...problems, ...(account?.problems(path) ?? [])];
}

function checkStructure(node: SchemaNode, path: string): Problem[] {
  const problems = checkStructural(node, path);
  return problems.length > 0 ? problems : checkDefaults(node, path);
}
