import { type AdmissionWebhook, mutatingWebhook } from "homeostat";
import { diffJsonPatch, isRecord, type JsonPatchOperation, type JsonRecord, ownValue } from "@homeostat/core";
import { Tenant } from "../api/tenant.ts";
import type { TenantSettings } from "../settings/settings.ts";

export type DefaultSettings = Pick<TenantSettings, "defaultServerImage" | "defaultRedisImage">;

/** The webhook that persists defaults, so that a later release of the operator cannot change them. */
export function defaultingWebhook(settings: DefaultSettings): AdmissionWebhook {
  return mutatingWebhook({ for: Tenant, name: "mtenant.kb.io", mutate: (tenant) => defaultsOf(tenant, settings) });
}

/** Returns the patch that sets the persisted defaults. All other defaults are resolved in each reconcile. */
export function defaultsOf(tenant: object, settings: DefaultSettings): readonly JsonPatchOperation[] {
  const spec = {
    server: { replicas: 1, image: settings.defaultServerImage },
    redis: { replicas: 1, image: settings.defaultRedisImage, storage: "1Gi" },
    networkPolicy: { enabled: true },
  };
  return diffJsonPatch(tenant, withDefaults(tenant, { spec }));
}

/** Adds missing fields. A value of another type than the default is left to the schema, which rejects it. */
function withDefaults(value: unknown, defaults: unknown): unknown {
  if (value === undefined || value === null) return defaults;
  if (!isRecord(value) || !isRecord(defaults)) return value;
  const result: JsonRecord = { ...value };
  for (const [key, field] of Object.entries(defaults)) result[key] = withDefaults(ownValue(value, key), field);
  return result;
}
