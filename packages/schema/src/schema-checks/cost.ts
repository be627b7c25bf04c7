import { forbidden, type Problem } from "../problem/problem.ts";
import type { Trail } from "./check-node.ts";
import type { SchemaNode } from "../structural/node.ts";
import { cardinalityMax } from "../rules/shape.ts";

/** Limit of the API server for the estimated cost of one rule, multiplied by the number of values that it runs on. */
export const ruleCostMax = 10_000_000;

/** Limit of the API server for the estimated cost of all rules of a schema together. */
const schemaCostMax = 100_000_000;

const shownMax = 4;

/** Sums the estimated costs of the rules of a schema and remembers the most expensive ones. */
export class CostAccount {
  private total = 0;
  private readonly expensive: { path: string; cost: number }[] = [];

  add(path: string, cost: number): void {
    this.total += cost;
    if (cost >= schemaCostMax / 100) this.expensive.push({ path, cost });
  }

  /** Returns the problems if the total exceeds the limit: one for each of the most expensive rules, and one for the schema. */
  problems(path: string): Problem[] {
    if (this.total <= schemaCostMax) return [];
    const top = this.expensive.sort((a, b) => b.cost - a.cost).slice(0, shownMax);
    const detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const subject = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...top.map((rule) => forbidden(rule.path, detail)),
      forbidden(path, costExceeded(subject, this.total, schemaCostMax)),
    ];
  }
}

/** Returns the message of the API server for a cost above its limit. */
export function costExceeded(subject: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const times = factor > 100 ? "more than 100x" : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  const advice =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${subject} exceeds budget by factor of ${times} (${advice})`;
}

/**
 * Returns the maximum number of values of a node in one object: the product of the limits of the lists and maps that contain it, or
 * the number of values that fit into a request if one of them has no limit.
 */
export function cardinalityOf(trail: Trail | undefined, bytesMin: number): number {
  let product = 1;
  for (let at = trail; at !== undefined; at = at.above) {
    const elements = elementsMax(at.node);
    if (elements === undefined) return cardinalityMax(bytesMin);
    product *= elements;
  }
  return product;
}

/** Returns the maximum number of elements of a list or map, 1 for other nodes, and undefined if there is no limit. */
function elementsMax(node: SchemaNode): number | undefined {
  const limit =
    node.type === "array"
      ? node.maxItems
      : node.type === "object" && node.additionalProperties !== undefined
        ? node.maxProperties
        : 1;
  return limit === undefined ? undefined : Math.max(0, limit);
}
