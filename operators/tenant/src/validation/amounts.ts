// Rules for quantities: each is valid and positive, and a request does not exceed its limit.

import type { DeepReadonly } from "homeostat";
import { isQuantity, type Quantity, quantityFromJSON } from "@homeostat/core";
import { entryPath, forbiddenField, invalidField, type Problem } from "@homeostat/schema";
import type { Amounts, ComponentResources, TenantResources, TenantSpec } from "../api/tenant.ts";

/** The minimum of memory and of storage for Redis. */
const redisMin = "64Mi";

/** Parses a quantity; undefined when it is absent or invalid. */
export function amountOf(value: string | number | undefined): Quantity | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number") return Number.isSafeInteger(value) ? quantityFromJSON(value) : undefined;
  return value.length <= 64 && isQuantity(value) ? quantityFromJSON(value) : undefined;
}

function* positiveProblems(path: string, value: string | number | undefined): Iterable<Problem> {
  if (value === undefined) return;
  if ((amountOf(value)?.sign() ?? -1) <= 0) yield invalidField(path, value, "must be a positive quantity");
}

function* pairProblems(
  [limitPath, requestPath]: readonly [string, string],
  { limit, request }: Partial<DeepReadonly<Amounts>> = {},
): Iterable<Problem> {
  yield* positiveProblems(limitPath, limit);
  yield* positiveProblems(requestPath, request);
  const most = amountOf(limit);
  if (most !== undefined && amountOf(request)?.isGreaterThan(most) === true) {
    yield invalidField(requestPath, request, "request must not exceed limit");
  }
}

export function* resourceProblems(
  path: string,
  resources: DeepReadonly<ComponentResources> | DeepReadonly<TenantResources> = {},
): Iterable<Problem> {
  const paths = (name: string) => [`${path}.${name}.limit`, `${path}.${name}.request`] as const;
  yield* pairProblems(paths("cpu"), resources.cpu);
  yield* pairProblems(paths("memory"), resources.memory);
  if ("storage" in resources) yield* pairProblems(paths("storage"), resources.storage);
}

export function* redisAmountProblems({ storage, resources }: DeepReadonly<TenantSpec["redis"]>): Iterable<Problem> {
  yield* resourceProblems("spec.redis.resources", resources);
  yield* positiveProblems("spec.redis.storage", storage);
  const limit = resources?.memory?.limit;
  for (const [path, value] of [
    ["spec.redis.storage", storage],
    ["spec.redis.resources.memory.limit", limit],
  ] as const) {
    const amount = amountOf(value);
    if (amount !== undefined && amount.sign() > 0 && amount.isLessThan(quantityFromJSON(redisMin))) {
      yield invalidField(path, value, `must be at least ${redisMin}`);
    }
  }
}

export function* quotaProblems(spec: DeepReadonly<TenantSpec>): Iterable<Problem> {
  const { resources, quota, limitRange } = spec;
  yield* resourceProblems("spec.resources", resources);
  for (const name of ["cpu", "memory"] as const) {
    const [limit, request] = [limitRange?.default?.[name], limitRange?.defaultRequest?.[name]];
    const paths = [`spec.limitRange.default.${name}`, `spec.limitRange.defaultRequest.${name}`] as const;
    yield* pairProblems(paths, { ...(limit !== undefined && { limit }), ...(request !== undefined && { request }) });
  }
  for (const [key, value] of Object.entries(quota?.counts ?? {})) {
    const path = entryPath("spec.quota.counts", key);
    if (!/^[a-z0-9]([-a-z0-9./]{0,251}[a-z0-9])?$/.test(key)) {
      yield invalidField(path, key, "must be the name of a resource, such as pods or count/jobs.batch");
    }
    if ((amountOf(value)?.sign() ?? -1) < 0) yield invalidField(path, value, "must be a quantity of at least zero");
  }
  if (resources !== undefined) return;
  if (quota !== undefined) yield forbiddenField("spec.quota", "needs spec.resources");
  if (limitRange !== undefined) yield forbiddenField("spec.limitRange", "needs spec.resources");
}
