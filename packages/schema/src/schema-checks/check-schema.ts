import { invalid, forbidden, type Problem } from "../problem/problem.ts";
import { CostAccount } from "./cost.ts";
import { rulesCheck } from "./check-rules.ts";
import { checkDefaults } from "./check-defaults.ts";
import { atRoot, checkNode } from "./check-node.ts";
import { checkStructural } from "./invariants.ts";
import type { SchemaNode } from "../structural/node.ts";
import { readSchema } from "../structural/read-schema.ts";
import { findUnsupported } from "./unsupported.ts";

/** Options of {@link checkSchema}. */
export interface CheckSchemaOptions {
  /** Path of the schema in the manifest, which the paths of problems start with. Default `openAPIV3Schema`. */
  readonly path?: string;
  /** True if the version has a status subresource, which forbids some keywords at the root. Default false. */
  readonly hasStatus?: boolean;
}

/**
 * Checks whether the API server would accept a schema in a CustomResourceDefinition, and returns all problems.
 *
 * Accepts any value. Messages are those of the API server. It uses the path `spec.validation.openAPIV3Schema` for a schema that all
 * versions share, otherwise `spec.versions[0].schema.openAPIV3Schema`; pass that as `path`. Only for keywords with a value of the
 * wrong JSON type the messages are our own, because the API server already fails to decode such a manifest.
 */
export function checkSchema(schema: unknown, options: CheckSchemaOptions = {}): Problem[] {
  return readAndCheck(schema, options).problems;
}

/** Parses and checks a schema. The returned node must be used only if there are no problems. */
export function readAndCheck(
  schema: unknown,
  options: CheckSchemaOptions,
): { readonly node: SchemaNode; readonly problems: Problem[] } {
  const { node, check } = readUnchecked(schema, options);
  return { node, problems: check() };
}

/** Parses a schema. The returned node must be used for validation only if `check` finds no problems. */
export function readUnchecked(
  schema: unknown,
  { path = "openAPIV3Schema", hasStatus = false }: CheckSchemaOptions,
): { readonly node: SchemaNode; readonly check: () => Problem[] } {
  const { node, problems } = readSchema(schema, path);
  const check = (): Problem[] =>
    problems.length > 0
      ? [...problems]
      : [...(hasStatus ? checkStatusRoot(node, path) : []), ...checkReadSchema(node, path)];
  return { node, check };
}

const allowedWithStatus: ReadonlySet<string> = new Set(
  "description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems multipleOf required items properties externalDocs example x-kubernetes-preserve-unknown-fields x-kubernetes-validations".split(
    " ",
  ),
);

/** Checks the root of a version with a status subresource. The status is validated on its own, so other keywords would be lost. */
function checkStatusRoot({ keywords, type }: SchemaNode, path: string): Problem[] {
  if (type !== "" && type !== "object") {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${path}.type`, { value: type }, detail)];
  }
  const forbiddenKeywords = [...keywords].filter((keyword) => !allowedWithStatus.has(keyword));
  const detail = `${forbiddenKeywords.join(", ")} cannot be used at the root of the schema if the status subresource is enabled`;
  return forbiddenKeywords.length === 0 ? [] : [invalid(path, {}, detail)];
}

/** Checks a parsed schema. */
function checkReadSchema(node: SchemaNode, path: string): Problem[] {
  const nullable = node.nullable ? [forbidden(`${path}.nullable`, "nullable cannot be true at the root")] : [];
  const unsupported = findUnsupported(node);
  const structural = unsupported === undefined ? checkStructure(node, path) : [];
  // Rules can be type-checked only if the schema is structural and its defaults are valid.
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
