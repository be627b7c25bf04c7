import { type DeepReadonly, isQuantity, isRecord, parseQuantity } from "@homeostat/core";
import type { ResourceQuota } from "@homeostat/kubernetes/core/v1";
import type { QuotaRow } from "../api/tenants.ts";

/** Returns the rows of quotas with their use, sorted by quota and resource. Values that are no quantities are skipped. */
export function quotaRows(quotas: readonly DeepReadonly<ResourceQuota>[]): QuotaRow[] {
  return quotas
    .flatMap(({ metadata: { name = "" }, spec, status }) => {
      // Before the quota controller has counted, the status is empty.
      const hard = status?.hard ?? spec?.hard ?? {};
      const used = status?.used ?? {};
      return Object.keys(hard).flatMap((resource) => {
        const [limit, usage] = [textOf(hard, resource), textOf(used, resource) ?? "0"];
        const ratio = limit === undefined ? undefined : ratioOf(usage, limit);
        return limit === undefined || ratio === undefined
          ? []
          : [{ quota: name, resource, used: usage, hard: limit, ratio }];
      });
    })
    .toSorted((one, other) => `${one.quota} ${one.resource}`.localeCompare(`${other.quota} ${other.resource}`));
}

function ratioOf(used: string, hard: string): number | undefined {
  if (!isQuantity(used) || !isQuantity(hard)) return undefined;
  const [usage, limit] = [parseQuantity(used), parseQuantity(hard)];
  // A limit of zero is used up.
  return limit.isZero() ? 1 : usage.asApproximateNumber() / limit.asApproximateNumber();
}

function textOf(values: unknown, name: string): string | undefined {
  const value = isRecord(values) && Object.hasOwn(values, name) ? values[name] : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
