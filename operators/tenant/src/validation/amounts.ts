// Amounts of things: whether they can be read, and whether they fit each other.

import { type DeepReadonly, isQuantity, type Quantity, quantityFromJSON } from "@homeostat/core";
import type { Amounts, ComponentResources, TenantResources, TenantSpec } from "../api/tenant.ts";
import { at, forbidden, invalid, type Problem } from "./problem.ts";

/** The least that Redis can be given, of memory and of storage. */
const redisMin = "64Mi";

/** The amount that a text or number stands for; undefined when it stands for none, or nothing was said. */
export function amountOf(value: string | number | undefined): Quantity | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number") return Number.isSafeInteger(value) ? quantityFromJSON(value) : undefined;
  return value.length <= 64 && isQuantity(value) ? quantityFromJSON(value) : undefined;
}

/** What is wrong with an amount that has to be more than nothing. */
export function* positiveProblems(path: string, value: string | number | undefined): Iterable<Problem> {
  if (value === undefined) return;
  if ((amountOf(value)?.sign() ?? -1) <= 0) yield invalid(path, value, "must be a positive quantity");
}

function* pairProblems(path: string, { limit, request }: DeepReadonly<Amounts> = {}): Iterable<Problem> {
  yield* positiveProblems(`${path}.limit`, limit);
  yield* positiveProblems(`${path}.request`, request);
  const [most, least] = [amountOf(limit), amountOf(request)];
  if (most !== undefined && least?.isGreaterThan(most) === true) {
    yield invalid(`${path}.request`, request, "request must not exceed limit");
  }
}

/** What is wrong with limits and requests. */
export function* resourceProblems(
  path: string,
  resources: DeepReadonly<ComponentResources> | DeepReadonly<TenantResources> = {},
): Iterable<Problem> {
  yield* pairProblems(`${path}.cpu`, resources.cpu);
  yield* pairProblems(`${path}.memory`, resources.memory);
  if ("storage" in resources) yield* pairProblems(`${path}.storage`, resources.storage);
}

/** What is wrong with the amounts that Redis gets. */
export function* redisAmountProblems({ storage, resources }: DeepReadonly<TenantSpec["redis"]>): Iterable<Problem> {
  yield* resourceProblems("spec.redis.resources", resources);
  yield* positiveProblems("spec.redis.storage", storage);
  const least = quantityFromJSON(redisMin);
  if ((amountOf(storage)?.sign() ?? 0) > 0 && amountOf(storage)?.isLessThan(least) === true) {
    yield invalid("spec.redis.storage", storage, `must be at least ${redisMin}`);
  }
  const limit = resources?.memory?.limit;
  if ((amountOf(limit)?.sign() ?? 0) > 0 && amountOf(limit)?.isLessThan(least) === true) {
    yield invalid("spec.redis.resources.memory.limit", limit, `must be at least ${redisMin}`);
  }
}

/** What is wrong with what the whole tenant may use. */
export function* quotaProblems(spec: DeepReadonly<TenantSpec>): Iterable<Problem> {
  const { resources, quota, limitRange } = spec;
  yield* resourceProblems("spec.resources", resources);
  for (const name of ["cpu", "memory"] as const) {
    const [limit, request] = [limitRange?.default?.[name], limitRange?.defaultRequest?.[name]];
    yield* positiveProblems(`spec.limitRange.default.${name}`, limit);
    yield* positiveProblems(`spec.limitRange.defaultRequest.${name}`, request);
    const [most, least] = [amountOf(limit), amountOf(request)];
    if (most !== undefined && least?.isGreaterThan(most) === true) {
      yield invalid(`spec.limitRange.defaultRequest.${name}`, request, "request must not exceed limit");
    }
  }
  for (const [key, value] of Object.entries(quota?.counts ?? {})) {
    const path = at("spec.quota.counts", key);
    if (!/^[a-z0-9]([-a-z0-9./]{0,251}[a-z0-9])?$/.test(key)) {
      yield invalid(path, key, "must be the name of a resource, such as pods or count/jobs.batch");
    }
    if ((amountOf(value)?.sign() ?? -1) < 0) yield invalid(path, value, "must be a quantity, and not below zero");
  }
  if (resources !== undefined) return;
  if (quota !== undefined) yield forbidden("spec.quota", "needs spec.resources");
  if (limitRange !== undefined) yield forbidden("spec.limitRange", "needs spec.resources");
}
