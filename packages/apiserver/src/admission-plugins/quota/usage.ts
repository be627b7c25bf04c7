// Usage of objects as ResourceQuotas measure it. Resources are named as in messages: `pods`, `deployments.apps`.

import type { Quantity } from "@homeostat/core";
import { kindStrategies, strategyOf } from "../../kinds/strategies.ts";
import { one } from "../../admission/resource-lists.ts";
import type { QuotaEvaluator } from "../../admission/quota-evaluator.ts";

/** Returns the evaluator of a resource; undefined if only its objects are counted. */
export function evaluatorOf(resource: string): QuotaEvaluator | undefined {
  const [plural = "", ...group] = resource.split(".");
  return strategyOf({ group: group.join("."), plural }).quota;
}

/** Reports whether a name in a quota measures objects of a resource. */
export function measures(name: string, resource: string): boolean {
  return name === `count/${resource}` || evaluatorOf(resource)?.measures(name) === true;
}

/**
 * Returns the resource whose objects a name in a quota measures; undefined for an unknown name.
 *
 * The first kind in the list wins. Claims must be before pods, because the names of extended resources of pods have the
 * same form as those of requests for a storage class.
 */
export function measuredResource(name: string): string | undefined {
  if (name.startsWith("count/")) return name.slice("count/".length);
  const found = kindStrategies.find(({ quota }) => quota?.measures(name) === true);
  if (found === undefined) return undefined;
  return found.group === "" ? found.plural : `${found.plural}.${found.group}`;
}

/** Returns the usage of one object of a resource. */
export function usageOf(resource: string, object: unknown, nowMs: number): Map<string, Quantity> {
  return new Map([[`count/${resource}`, one], ...(evaluatorOf(resource)?.usage(object, nowMs) ?? [])]);
}
