/** How deep an expression may be nested. The API server allows as much. */
const depthMax = 250;

/** Thrown when an expression is nested too deeply. */
export class TooDeep extends Error {}

/** The rules of the grammar whose nesting is counted. */
export type Rule = "expr" | "relation" | "calc" | "member";

/**
 * Counts nesting the way the API server's parser does, so that both refuse the same expressions.
 *
 * Each rule counts the times it is open, one inside the other. What stands side by side, as in `a.b.c` or `1 + 2 + 3`,
 * counts by its height.
 */
export class DepthLimit {
  readonly #open: Record<Rule, number> = { expr: 0, relation: 0, calc: 0, member: 0 };

  /** Opens a rule. Whoever opens it closes it. */
  enter(rule: Rule): void {
    if (++this.#open[rule] > depthMax) throw new TooDeep(`expression recursion limit exceeded: ${depthMax}`);
  }

  /** Closes a rule. */
  leave(rule: Rule): void {
    this.#open[rule]--;
  }

  /** The height of a node on top of parts of the given height. */
  static above(height: number): number {
    if (height >= depthMax) throw new TooDeep("max recursion depth exceeded");
    return height + 1;
  }
}
