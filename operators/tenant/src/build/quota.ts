import type { LimitRange, ResourceQuota } from "@homeostat/kubernetes/core/v1";
import { names } from "../api/names.ts";
import type { Wanted } from "./resolved-tenant.ts";
import { type Made, metadataOf } from "./objects.ts";

/** What the whole tenant may use; undefined when that has no bounds. */
export function resourceQuota(wanted: Wanted): Made<ResourceQuota> | undefined {
  if (wanted.quota === undefined) return undefined;
  return {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: metadataOf(wanted, { name: names.quota, component: "quota" }),
    spec: { hard: wanted.quota.hard },
  };
}

/** What a container gets that says nothing: with a quota, a pod without amounts would be refused. */
export function limitRange(wanted: Wanted): Made<LimitRange> | undefined {
  if (wanted.quota === undefined) return undefined;
  const { containerDefault, containerDefaultRequest } = wanted.quota;
  return {
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: metadataOf(wanted, { name: names.limits, component: "quota" }),
    spec: { limits: [{ type: "Container", default: containerDefault, defaultRequest: containerDefaultRequest }] },
  };
}
