import { forbidden, invalid, notSupported, type Problem } from "../problem/problem.ts";
import { checkListType, checkMapType } from "./check-topology.ts";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";

/** The context of a node, which determines the keywords that it may have. */
export interface Surroundings {
  readonly isRoot: boolean;
  /** The reason why a default is forbidden; undefined if it is allowed. */
  readonly noDefaults: string | undefined;
  /** True inside `apiVersion`, `kind` or `metadata` of a resource. */
  readonly isInMeta: boolean;
  /** Path of the outermost list whose items cannot be matched between the old and the new object; undefined if there is none. */
  readonly uncorrelatable: string | undefined;
  /** False inside branches (`anyOf` etc.), whose rules are not compiled. */
  readonly mayHaveRules: boolean;
}

/** The context of the root. */
export const atRoot: Surroundings = {
  isRoot: true,
  noDefaults: undefined,
  isInMeta: false,
  uncorrelatable: undefined,
  mayHaveRules: true,
};

/** The ancestors of a node, as a linked list that starts with its parent. */
export interface Trail {
  readonly node: SchemaNode;
  readonly above: Trail | undefined;
}

/** Checks the rules of a node. `isSound` is true if the schema of the node and everything below it has no problems. */
export type RulesCheck = (visit: {
  readonly node: SchemaNode;
  readonly path: string;
  readonly surroundings: Surroundings;
  readonly trail: Trail | undefined;
  readonly isSound: boolean;
}) => { readonly schema: Problem[]; readonly rules: Problem[] };

/** The problems of a schema, and separately those of its rules. The API server reports them in this order. */
export interface NodeProblems {
  readonly schema: Problem[];
  readonly rules: Problem[];
}

const types = ["array", "boolean", "integer", "number", "object", "string"];
const metaFields: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

/** Checks the keywords of a node and of all nodes below it. */
export function checkNode(
  node: SchemaNode,
  path: string,
  surroundings: Surroundings,
  trail: Trail | undefined,
  checkRules: RulesCheck,
): NodeProblems {
  const found: NodeProblems = { schema: checkKeywords(node, path, surroundings), rules: [] };
  const here = { node, above: trail };
  const descend = (child: SchemaNode, at: string, changes: Partial<Surroundings> = {}): void => {
    const inner = checkNode(child, at, { ...surroundings, isRoot: false, ...changes }, here, checkRules);
    found.schema.push(...inner.schema);
    found.rules.push(...inner.rules);
  };
  descendAll(node, path, surroundings, descend);
  found.schema.push(...checkMapType(node, path), ...checkListType(node, path));
  if (node.rules.length > 0) {
    const result = checkRules({ node, path, surroundings, trail, isSound: found.schema.length === 0 });
    found.schema.push(...result.schema);
    found.rules.push(...result.rules);
  }
  return found;
}

function checkKeywords(node: SchemaNode, path: string, { noDefaults, isInMeta }: Surroundings): Problem[] {
  const problems: Problem[] = [];
  const has = (keyword: string): boolean => node.keywords.has(keyword);
  if (node.type !== "" && !types.includes(node.type)) problems.push(notSupported(`${path}.type`, node.type, types));
  if (node.default !== undefined && noDefaults !== undefined) problems.push(forbidden(`${path}.default`, noDefaults));
  const unsupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];
  for (const keyword of unsupported) {
    if (has(keyword)) problems.push(forbidden(`${path}.${keyword}`, `${keyword} is not supported`));
  }
  if (node.type === "null") {
    problems.push(forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  }
  if (node.itemsList.length > 0) {
    problems.push(forbidden(`${path}.items`, "items must be a schema object and not an array"));
  }
  if (isInMeta && node.embeddedResource) {
    problems.push(forbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  }
  if (has("uniqueItems")) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    problems.push(forbidden(`${path}.uniqueItems`, detail));
  }
  if (node.properties.size > 0 && node.additionalProperties !== undefined && node.additionalProperties !== true) {
    const detail = "additionalProperties and properties are mutual exclusive";
    problems.push(forbidden(`${path}.additionalProperties`, detail));
  }
  if (node.preserveUnknownFields === false) {
    const at = `${path}.x-kubernetes-preserve-unknown-fields`;
    problems.push(invalid(at, { value: false }, "must be true or undefined"));
  }
  return problems;
}

function descendAll(
  node: SchemaNode,
  path: string,
  { isRoot, isInMeta, uncorrelatable }: Surroundings,
  descend: (child: SchemaNode, at: string, changes?: Partial<Surroundings>) => void,
): void {
  const others = additionalSchema(node);
  if (others !== undefined) {
    // The API server forbids these defaults: pruning them as metadata would be ambiguous without the actual value.
    const noDefaults = "must not be set inside additionalProperties applying to object metadata";
    descend(others, `${path}.additionalProperties`, isInMeta ? { noDefaults } : {});
  }
  for (const [name, property] of node.properties) {
    const isMeta = (isRoot || node.embeddedResource) && metaFields.has(name);
    descend(property, `${path}.properties[${name}]`, {
      ...(isMeta && { isInMeta: true }),
      ...(isMeta && isRoot && { noDefaults: `must not be set in top-level ${name}` }),
    });
  }
  const inBranch = { mayHaveRules: false };
  if (node.not !== undefined) descend(node.not, `${path}.not`, inBranch);
  for (const keyword of ["allOf", "oneOf", "anyOf"] as const) {
    node[keyword].forEach((branch, index) => descend(branch, `${path}.${keyword}[${index}]`, inBranch));
  }
  for (const [keyword, schema] of node.misplaced) descend(schema, `${path}.${keyword}`, inBranch);
  // Items of the old and the new object can be matched only in lists of type `map`, by their keys.
  const listed = node.listType === "map" ? {} : { uncorrelatable: uncorrelatable ?? path };
  if (node.items !== undefined) descend(node.items, `${path}.items`, listed);
  node.itemsList.forEach((schema, index) => descend(schema, `${path}.items[${index}]`, listed));
}
