/** Maximum nesting depth of an expression, the same as in the API server. */
const depthMax = 250;

/** Thrown when an expression is nested too deeply. */
export class TooDeep extends Error {}

/** The grammar rules whose nesting is counted. */
export type Rule = "expr" | "relation" | "calc" | "member";

/**
 * Counts nesting in the same way as the parser of the API server, so that both reject the same expressions.
 *
 * The recursion depth is counted for each rule. Chains such as `a.b.c` or `1 + 2 + 3`, which the parser reads in a loop, count by
 * the height of the resulting tree.
 */
export class DepthLimit {
  readonly #open: Record<Rule, number> = { expr: 0, relation: 0, calc: 0, member: 0 };

  /** Enters a rule. The caller must call `leave` afterwards. */
  enter(rule: Rule): void {
    if (++this.#open[rule] > depthMax) throw new TooDeep(`expression recursion limit exceeded: ${depthMax}`);
  }

  /** Leaves a rule. */
  leave(rule: Rule): void {
    this.#open[rule]--;
  }

  /** Returns the height of a node whose highest part has the given height. Throws if it exceeds the limit. */
  static above(height: number): number {
    if (height >= depthMax) throw new TooDeep("max recursion depth exceeded");
    return height + 1;
  }
}
