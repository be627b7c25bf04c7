import { forbidden, invalid, notSupported, type Problem } from "../problem/problem.ts";
import { checkListType, checkMapType } from "./check-topology.ts";
import { additionalSchema, type SchemaNode } from "./node.ts";

/** What surrounds a node and decides what it may say. */
export interface Surroundings {
  readonly isRoot: boolean;
  /** Why a default is not allowed here; `undefined` when it is. */
  readonly noDefaults: string | undefined;
  /** Whether this is inside `apiVersion`, `kind` or `metadata` of a resource. */
  readonly isInMeta: boolean;
  /** The outermost node above whose parts cannot be followed from the old object to the new one, by its path. */
  readonly uncorrelatable: string | undefined;
  /** Whether rules here take part at all: those inside branches do not. */
  readonly mayHaveRules: boolean;
}

/** Surroundings of the root. */
export const atRoot: Surroundings = {
  isRoot: true,
  noDefaults: undefined,
  isInMeta: false,
  uncorrelatable: undefined,
  mayHaveRules: true,
};

/** The nodes above a node, the nearest first. */
export interface Trail {
  readonly node: SchemaNode;
  readonly above: Trail | undefined;
}

/** Looks at a node with rules. `isSound` tells whether nothing is wrong with the schema at the node and below. */
export type RulesCheck = (visit: {
  readonly node: SchemaNode;
  readonly path: string;
  readonly surroundings: Surroundings;
  readonly trail: Trail | undefined;
  readonly isSound: boolean;
}) => { readonly schema: Problem[]; readonly rules: Problem[] };

/** What is wrong with a schema, and apart from it what is wrong with its rules. */
export interface NodeProblems {
  readonly schema: Problem[];
  readonly rules: Problem[];
}

const types = ["array", "boolean", "integer", "number", "object", "string"];
const metaFields: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

/** Checks every keyword of a schema that has a rule of its own, at a node and below. */
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
    // Whether a default applies could not be told while pruning metadata.
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
  for (const [place, schema] of node.misplaced) descend(schema, `${path}.${place}`, inBranch);
  // Only lists with keys tell which old element a new one continues.
  const listed = node.listType === "map" ? {} : { uncorrelatable: uncorrelatable ?? path };
  if (node.items !== undefined) descend(node.items, `${path}.items`, listed);
  node.itemsList.forEach((schema, index) => descend(schema, `${path}.items[${index}]`, listed));
}
