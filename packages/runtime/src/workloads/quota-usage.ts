import { type DeepReadonly, isQuantity, quantityFromJSON } from "@homeostat/core";
import type { ResourceQuota } from "@homeostat/kubernetes/core/v1";

/**
 * Returns the used share of each resource of a quota, for metrics: 0.5 if half of it is used. Resources without a positive limit, or with a
 * value that is not a quantity, are omitted.
 */
export function quotaUsage(quota: DeepReadonly<ResourceQuota> | undefined): ReadonlyMap<string, number> {
  const { hard = {}, used = {} } = quota?.status ?? {};
  const shares = Object.keys(hard).flatMap((resource): (readonly [string, number])[] => {
    const limit = numberOf(hard[resource]);
    const usage = numberOf(Object.hasOwn(used, resource) ? used[resource] : "0");
    return limit === undefined || usage === undefined || limit <= 0 ? [] : [[resource, usage / limit]];
  });
  return new Map(shares);
}

function numberOf(quantity: string | number | undefined): number | undefined {
  if (quantity === undefined || (typeof quantity === "string" && !isQuantity(quantity))) return undefined;
  return quantityFromJSON(quantity).asApproximateNumber();
}
