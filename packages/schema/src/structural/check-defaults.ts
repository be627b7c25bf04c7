import { compileMetaCoercer } from "../metadata/coerce.ts";
import { checkEmbedded } from "../metadata/embedded.ts";
import { formatProblem, invalid, type Problem } from "../problem/problem.ts";
import { compilePruner } from "../pruning/prune.ts";
import { Ratchet } from "../rules/ratchet.ts";
import { compileRuleTree } from "../rules/rule-tree.ts";
import { RuleRun } from "../rules/run-rules.ts";
import { equalJson } from "../value/equal.ts";
import { examine } from "../validation/examine.ts";
import type { SchemaNode } from "./node.ts";
import type { Json } from "./schema.ts";

/** Puts a value where it stands in its resource, so that metadata can be checked as a whole. */
type Surround = (value: unknown) => unknown;

interface Spot {
  /** The resource that the node belongs to: the root or the nearest embedded one. */
  readonly resource: SchemaNode;
  readonly surround: Surround;
  /** Whether the node is `apiVersion`, `kind` or `metadata` of its resource, or below it. */
  readonly isInMeta: boolean;
}

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Checks that every default satisfies its own schema and has no unknown fields. */
export function checkDefaults(root: SchemaNode, path: string): Problem[] {
  const resource = { ...root, embeddedResource: true };
  return check(resource, path, { resource, surround: withTypeMeta, isInMeta: false });
}

function withTypeMeta(value: unknown): unknown {
  return typeof value === "object" ? { kind: "Validation", apiVersion: "validation/v1", ...value } : value;
}

function check(node: SchemaNode, path: string, above: Spot): Problem[] {
  const spot = node.embeddedResource ? { resource: node, surround: withTypeMeta, isInMeta: false } : above;
  const problems = node.default === undefined ? [] : checkDefault(node, node.default, `${path}.default`, spot);
  // Defaults of undeclared properties are not looked at, here or on the API server.
  if (node.items !== undefined) {
    const surround: Surround = (value) => spot.surround([value]);
    problems.push(...check(node.items, `${path}.items`, { ...spot, surround }));
  }
  for (const [name, property] of node.properties) {
    const surround: Surround = (value) => spot.surround({ [name]: value });
    const isInMeta = spot.isInMeta || (node.embeddedResource && metaFields.has(name));
    problems.push(...check(property, `${path}.properties[${name}]`, { ...spot, surround, isInMeta }));
  }
  return problems;
}

function checkDefault(node: SchemaNode, value: Json, path: string, spot: Spot): Problem[] {
  const { problems, checked, goesOn } = spot.isInMeta
    ? checkAsMeta(value, path, spot)
    : checkAsValue(node, value, path);
  if (!goesOn) return problems;
  const findings = examine(node, checked, { base: path, name: "" }, { as: "default" });
  if (!findings.isEmpty) return [...problems, ...findings.problems()];
  return [...problems, ...checkRulesOf(node, checked, path, spot)];
}

/** What was found, the value as it is from then on, and whether it makes sense to go on. */
interface Step {
  readonly problems: Problem[];
  readonly checked: unknown;
  readonly goesOn: boolean;
}

function checkAsMeta(value: Json, path: string, { resource, surround }: Spot): Step {
  const { problems: found } = checkMeta(resource, surround(value), "");
  if (found.length === 0) return { problems: [], checked: value, goesOn: true };
  const list = found.map(formatProblem);
  const detail = `must result in valid metadata: ${list.length === 1 ? list[0] : `[${list.join(", ")}]`}`;
  return { problems: [invalid(path, { value }, detail)], checked: value, goesOn: false };
}

function checkAsValue(node: SchemaNode, value: Json, path: string): Step {
  // A scalar has no fields.
  if (typeof value !== "object" || value === null) return { problems: [], checked: value, goesOn: true };
  const pruned = compilePruner(node, { isResource: node.embeddedResource })(value);
  const step = checkMeta(node, value, path);
  if (equalJson(pruned, value)) return step;
  // The API server has put the metadata in order by the time it prints this.
  const unknown = invalid(path, { value: step.checked }, "must not have unknown fields");
  return { ...step, problems: [unknown, ...step.problems] };
}

function checkMeta(node: SchemaNode, value: unknown, path: string): Step {
  const malformed: Problem[] = [];
  const checked = compileMetaCoercer(node, { isResource: false })(value, { dropped: [], malformed });
  const [first] = malformed;
  // The coercer starts counting at the value.
  if (first !== undefined) {
    const problem = invalid(join(path, first.path), { value: first.value }, first.detail);
    return { problems: [problem], checked, goesOn: false };
  }
  const problems = checkEmbedded(node, checked, path);
  return { problems, checked, goesOn: problems.length === 0 };
}

function join(path: string, below: string): string {
  if (path === "") return below;
  return below === "" ? path : below.startsWith("[") ? `${path}${below}` : `${path}.${below}`;
}

/** Runs rules as if the default had been there before, and as if it were new. */
function checkRulesOf(node: SchemaNode, value: unknown, path: string, { resource }: Spot): Problem[] {
  const tree = compileRuleTree(node, { isResource: node === resource });
  if (tree === undefined) return [];
  for (const old of [value, undefined]) {
    const run = new RuleRun();
    run.run(tree, value, old, path, new Ratchet());
    if (run.problems.length > 0) return run.problems;
  }
  return [];
}
