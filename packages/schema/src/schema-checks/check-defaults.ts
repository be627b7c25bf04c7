import { compileMetaCoercer } from "../metadata/coerce.ts";
import { checkEmbedded } from "../metadata/embedded.ts";
import { formatProblem, invalid, type Problem } from "../problem/problem.ts";
import { compilePruner } from "../pruning/prune.ts";
import { Ratchet } from "../rules/ratchet.ts";
import { compileRuleTree } from "../rules/rule-tree.ts";
import { RuleRun } from "../rules/run-rules.ts";
import { equalJson } from "../value/equal.ts";
import { examine } from "../validation/examine.ts";
import type { SchemaNode } from "../structural/node.ts";
import type { Json } from "../value/json.ts";

/** Wraps a value in its parents up to the resource, so that the metadata can be checked as a whole. */
type Wrap = (value: unknown) => unknown;

interface Location {
  /** The resource that contains the node: the root or the nearest embedded resource. */
  readonly resource: SchemaNode;
  readonly wrap: Wrap;
  /** True if the node is `apiVersion`, `kind` or `metadata` of its resource, or below it. */
  readonly isInMeta: boolean;
}

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Checks that every default satisfies its own schema and has no unknown fields. */
export function checkDefaults(root: SchemaNode, path: string): Problem[] {
  const resource = { ...root, embeddedResource: true };
  return check(resource, path, { resource, wrap: withTypeMeta, isInMeta: false });
}

function withTypeMeta(value: unknown): unknown {
  return typeof value === "object" ? { kind: "Validation", apiVersion: "validation/v1", ...value } : value;
}

function check(node: SchemaNode, path: string, above: Location): Problem[] {
  const location = node.embeddedResource ? { resource: node, wrap: withTypeMeta, isInMeta: false } : above;
  const problems = node.default === undefined ? [] : checkDefault(node, node.default, `${path}.default`, location);
  // Like the API server, this does not check defaults below additionalProperties.
  if (node.items !== undefined) {
    const wrap: Wrap = (value) => location.wrap([value]);
    problems.push(...check(node.items, `${path}.items`, { ...location, wrap }));
  }
  for (const [name, property] of node.properties) {
    const wrap: Wrap = (value) => location.wrap({ [name]: value });
    const isInMeta = location.isInMeta || (node.embeddedResource && metaFields.has(name));
    problems.push(...check(property, `${path}.properties[${name}]`, { ...location, wrap, isInMeta }));
  }
  return problems;
}

function checkDefault(node: SchemaNode, value: Json, path: string, location: Location): Problem[] {
  const { problems, checked, shouldContinue } = location.isInMeta
    ? checkAsMeta(value, path, location)
    : checkAsValue(node, value, path);
  if (!shouldContinue) return problems;
  const findings = examine(node, checked, { base: path, name: "" }, { as: "default" });
  if (!findings.isEmpty) return [...problems, ...findings.problems()];
  return [...problems, ...checkRulesOf(node, checked, path, location)];
}

/** Result of one check: the problems, the value for the next check, and whether there should be a next check. */
interface Step {
  readonly problems: Problem[];
  readonly checked: unknown;
  readonly shouldContinue: boolean;
}

function checkAsMeta(value: Json, path: string, { resource, wrap }: Location): Step {
  const { problems: found } = checkMeta(resource, wrap(value), "");
  if (found.length === 0) return { problems: [], checked: value, shouldContinue: true };
  const list = found.map(formatProblem);
  const detail = `must result in valid metadata: ${list.length === 1 ? list[0] : `[${list.join(", ")}]`}`;
  return { problems: [invalid(path, { value }, detail)], checked: value, shouldContinue: false };
}

function checkAsValue(node: SchemaNode, value: Json, path: string): Step {
  // Scalars cannot have unknown fields or metadata.
  if (typeof value !== "object" || value === null) return { problems: [], checked: value, shouldContinue: true };
  const pruned = compilePruner(node, { isResource: node.embeddedResource })(value);
  const step = checkMeta(node, value, path);
  if (equalJson(pruned, value)) return step;
  // The API server prints the value after it has normalized the metadata.
  const unknown = invalid(path, { value: step.checked }, "must not have unknown fields");
  return { ...step, problems: [unknown, ...step.problems] };
}

function checkMeta(node: SchemaNode, value: unknown, path: string): Step {
  const malformed: Problem[] = [];
  const checked = compileMetaCoercer(node, { isResource: false })(value, { dropped: [], malformed });
  const [first] = malformed;
  // Paths of the coercer are relative to the value.
  if (first !== undefined) {
    const problem = invalid(join(path, first.path), { value: first.value }, first.detail);
    return { problems: [problem], checked, shouldContinue: false };
  }
  const problems = checkEmbedded(node, checked, path);
  return { problems, checked, shouldContinue: problems.length === 0 };
}

function join(path: string, below: string): string {
  if (path === "") return below;
  return below === "" ? path : below.startsWith("[") ? `${path}${below}` : `${path}.${below}`;
}

/** Runs the rules on a default twice, as the API server does: as an unchanged value (with `oldSelf`) and as a new one. */
function checkRulesOf(node: SchemaNode, value: unknown, path: string, { resource }: Location): Problem[] {
  const tree = compileRuleTree(node, { isResource: node === resource });
  if (tree === undefined) return [];
  for (const old of [value, undefined]) {
    const run = new RuleRun();
    run.run(tree, value, old, path, new Ratchet());
    if (run.problems.length > 0) return run.problems;
  }
  return [];
}
