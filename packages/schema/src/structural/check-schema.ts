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
}

/**
 * Checks that a schema is one the API server would take in a CustomResourceDefinition, and reports all that is wrong.
 *
 * Takes JSON of any origin. Texts are those of the API server, which calls the place of the schema
 * `spec.validation.openAPIV3Schema` when all versions share it, else `spec.versions[0].schema.openAPIV3Schema`; pass
 * that as `path`. Where a value has the wrong JSON type the words are our own: the API server does not get as far.
 */
export function checkSchema(schema: unknown, { path = "openAPIV3Schema" }: CheckSchemaOptions = {}): Problem[] {
  const { node, problems } = readSchema(schema, path);
  return problems.length > 0 ? [...problems] : checkReadSchema(node, path);
}

/** Checks a schema that could be read. */
export function checkReadSchema(node: SchemaNode, path: string): Problem[] {
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
