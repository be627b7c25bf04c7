// Rules for `spec.resources`, `spec.quota` and `spec.limitRange`.

import type { DeepReadonly } from "homeostat";
import {
  entryPath,
  forbiddenField,
  invalidField,
  limitProblems,
  type Problem,
  quantityIn,
  resourceProblems,
} from "@homeostat/schema";
import type { TenantSpec } from "../api/tenant.ts";

export function* quotaProblems({ resources, quota, limitRange }: DeepReadonly<TenantSpec>): Iterable<Problem> {
  yield* resourceProblems("spec.resources", resources);
  for (const name of ["cpu", "memory"] as const) {
    const paths = { limit: `spec.limitRange.default.${name}`, request: `spec.limitRange.defaultRequest.${name}` };
    yield* limitProblems(paths, { limit: limitRange?.default?.[name], request: limitRange?.defaultRequest?.[name] });
  }
  for (const [key, value] of Object.entries(quota?.counts ?? {})) {
    const path = entryPath("spec.quota.counts", key);
    if (!/^[a-z0-9]([-a-z0-9./]{0,251}[a-z0-9])?$/.test(key)) {
      yield invalidField(path, key, "must be the name of a resource, such as pods or count/jobs.batch");
    }
    if ((quantityIn(value)?.sign() ?? -1) < 0)
      yield invalidField(path, value, "must be a quantity that is not negative");
  }
  if (resources !== undefined) return;
  if (quota !== undefined) yield forbiddenField("spec.quota", "requires spec.resources");
  if (limitRange !== undefined) yield forbiddenField("spec.limitRange", "requires spec.resources");
}
