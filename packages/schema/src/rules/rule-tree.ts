import type { JsonShape } from "@homeostat/cel";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";
import { compileRules, type CompiledRule, type NodeRules } from "./compile-rule.ts";
import { isVisible } from "./shape.ts";

/** The compiled rules of a node and of the nodes below it. */
export interface RuleTree {
  readonly node: SchemaNode;
  /** Shape of the values in CEL. Undefined if CEL cannot access them; then every value has a problem. */
  readonly shape: JsonShape | undefined;
  readonly rules: readonly (CompiledRule | UnusableRule)[];
  readonly items: RuleTree | undefined;
  readonly additional: RuleTree | undefined;
  readonly properties: ReadonlyMap<string, RuleTree>;
}

/** A rule that does not compile. The schema check reports it; it is kept because defaults are reported against it too. */
export interface UnusableRule {
  readonly problem: string;
}

/** Compiles all rules of a schema. Returns undefined if it has none. */
export function compileRuleTree(node: SchemaNode, { isResource }: { isResource: boolean }): RuleTree | undefined {
  const below = (child: SchemaNode | undefined): RuleTree | undefined =>
    child && compileRuleTree(child, { isResource: child.embeddedResource });
  const properties = new Map<string, RuleTree>();
  for (const [name, property] of node.properties) {
    // The API server does not run rules below a property that CEL cannot access.
    const tree = isVisible(property) ? below(property) : undefined;
    if (tree !== undefined) properties.set(name, tree);
  }
  const compiled = node.rules.length === 0 ? undefined : compileRules(node, { isResource });
  const rules = node.rules.length === 0 ? [] : usableRules(compiled);
  const items = below(node.items);
  const additional = below(additionalSchema(node));
  if (rules.length === 0 && items === undefined && additional === undefined && properties.size === 0) return undefined;
  return { node, shape: compiled?.shape.shape, rules, items, additional, properties };
}

function usableRules(compiled: NodeRules | undefined): (CompiledRule | UnusableRule)[] {
  if (compiled === undefined) {
    return [{ problem: "rule compiler initialization error: failed to convert to declType for CEL validation rules" }];
  }
  return compiled.compilations.flatMap((compilation) => {
    if (compilation?.problem !== undefined) return { problem: `rule compile error: ${compilation.problem}` };
    return compilation?.rule ?? [];
  });
}
