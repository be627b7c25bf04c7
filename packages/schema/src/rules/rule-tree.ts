import type { JsonShape } from "@homeostat/cel";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";
import { compileRules, type CompiledRule, type NodeRules } from "./compile-rule.ts";
import { isVisible } from "./shape.ts";

/** The rules of a node and of those below it. */
export interface RuleTree {
  readonly node: SchemaNode;
  /** How rules see the values; `undefined` when they cannot, which every value is blamed for. */
  readonly shape: JsonShape | undefined;
  readonly rules: readonly (CompiledRule | UnusableRule)[];
  readonly items: RuleTree | undefined;
  readonly additional: RuleTree | undefined;
  readonly properties: ReadonlyMap<string, RuleTree>;
}

/** A rule that does not compile. The checks report it where it stands; a default is reported as well. */
export interface UnusableRule {
  readonly problem: string;
}

/** Compiles all rules of a schema; `undefined` when it has none. */
export function compileRuleTree(node: SchemaNode, { isResource }: { isResource: boolean }): RuleTree | undefined {
  const below = (child: SchemaNode | undefined): RuleTree | undefined =>
    child && compileRuleTree(child, { isResource: child.embeddedResource });
  const properties = new Map<string, RuleTree>();
  for (const [name, property] of node.properties) {
    // What is out of sight of the object is so for the rules below it, too.
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
