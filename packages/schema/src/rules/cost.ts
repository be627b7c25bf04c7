import { forbidden, type Problem } from "../problem/problem.ts";
import type { Trail } from "../structural/check-node.ts";
import type { SchemaNode } from "../structural/node.ts";
import { cardinalityMax } from "./shape.ts";

/** The most the estimate of one rule may be. */
export const ruleCostMax = 10_000_000;

/** The most the estimates of all rules of a schema may add up to. */
const schemaCostMax = 100_000_000;

const shownMax = 4;

/** Adds up what rules cost at most, and remembers the dearest. */
export class CostAccount {
  private total = 0;
  private readonly dear: { path: string; cost: number }[] = [];

  add(path: string, cost: number): void {
    this.total += cost;
    if (cost >= schemaCostMax / 100) this.dear.push({ path, cost });
  }

  /** What to complain about when it is too much altogether. */
  problems(path: string): Problem[] {
    if (this.total <= schemaCostMax) return [];
    const dearest = this.dear.sort((a, b) => b.cost - a.cost).slice(0, shownMax);
    const detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const subject = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...dearest.map((rule) => forbidden(rule.path, detail)),
      forbidden(path, tooDear(subject, this.total, schemaCostMax)),
    ];
  }
}

/** Says by how much a cost passes its limit. */
export function tooDear(subject: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const times = factor > 100 ? "more than 100x" : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  const advice =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${subject} exceeds budget by factor of ${times} (${advice})`;
}

/** How many values a node can have in one object: as the limits above it say, or as fit into a request. */
export function cardinalityOf(trail: Trail | undefined, bytesMin: number): number {
  let product = 1;
  for (let at = trail; at !== undefined; at = at.above) {
    const elements = elementsMax(at.node);
    if (elements === undefined) return cardinalityMax(bytesMin);
    product *= elements;
  }
  return product;
}

/** By how much a node multiplies what is below it; `undefined` when it has no limit. */
function elementsMax(node: SchemaNode): number | undefined {
  const limit =
    node.type === "array"
      ? node.maxItems
      : node.type === "object" && node.additionalProperties !== undefined
        ? node.maxProperties
        : 1;
  return limit === undefined ? undefined : Math.max(0, limit);
}
