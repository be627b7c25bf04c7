import type { Expr } from "./ast.ts";

/** Returns the direct subexpressions of an expression. */
export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "literal":
    case "ident":
      return [];
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.elements;
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "comprehension":
  }
  return [expr.range, expr.initial, expr.condition, expr.step, expr.result];
}

/**
 * Visits an expression and all subexpressions, parents first. `enter` can return `false` to skip the subexpressions of a node.
 */
export function walk(expr: Expr, enter: (expr: Expr) => boolean | void): void {
  const pending = [expr];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (enter(next) !== false) pending.push(...partsOf(next));
  }
}
