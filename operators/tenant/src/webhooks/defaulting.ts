import { type AdmissionWebhook, mutatingWebhook } from "homeostat";
import { diffJsonPatch, fillDefaults, type JsonPatchOperation } from "@homeostat/core";
import { Tenant } from "../api/tenant.ts";
import type { TenantSettings } from "../settings/settings.ts";

export type DefaultSettings = Pick<TenantSettings, "defaultServerImage" | "defaultRedisImage">;

/** Builds the webhook that persists defaults, so that a later release of the operator cannot change them for existing tenants. */
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
  return diffJsonPatch(tenant, fillDefaults(tenant, { spec }));
}
