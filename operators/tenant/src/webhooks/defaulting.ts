import type { JsonPatchOperation, JsonRecord } from "@homeostat/core";
import { isRecord, ownValue } from "@homeostat/core";
import { type AdmissionWebhook, mutatingWebhook } from "@homeostat/webhook";
import { Tenant } from "../api/tenant.ts";
import type { TenantSettings } from "../settings/settings.ts";

/** The settings that defaults come from. */
export type DefaultSettings = Pick<TenantSettings, "defaultServerImage" | "defaultRedisImage">;

/** The webhook that writes down the defaults which hold for ever, so that a later release cannot change them. */
export function defaultingWebhook(settings: DefaultSettings): AdmissionWebhook {
  return mutatingWebhook({
    for: Tenant,
    name: "mtenant.kb.io",
    mutate: (tenant) => defaultsOf(tenant, settings),
  });
}

/**
 * The patch that fills in what a tenant leaves out; empty when there is nothing to fill in.
 *
 * Only fields whose default is kept with the tenant: others are decided anew on every pass.
 */
export function defaultsOf(tenant: object, settings: DefaultSettings): JsonPatchOperation[] {
  const spec = partOf(tenant, "spec");
  const wanted = [
    ["server", { replicas: 1, image: settings.defaultServerImage }],
    ["redis", { replicas: 1, image: settings.defaultRedisImage, storage: "1Gi" }],
    ["networkPolicy", { enabled: true }],
  ] as const;
  if (spec === undefined) {
    return hasNothing(tenant, "spec") ? [{ op: "add", path: "/spec", value: Object.fromEntries(wanted) }] : [];
  }
  return wanted.flatMap(([name, defaults]): JsonPatchOperation[] => {
    const part = partOf(spec, name);
    if (part === undefined) {
      return hasNothing(spec, name) ? [{ op: "add", path: `/spec/${name}`, value: { ...defaults } }] : [];
    }
    return Object.entries(defaults)
      .filter(([field]) => hasNothing(part, field))
      .map(([field, value]) => ({ op: "add", path: `/spec/${name}/${field}`, value }));
  });
}

/** The object in a field; undefined where there is something else, which is the schema's to refuse. */
function partOf(value: object, name: string): JsonRecord | undefined {
  const part = isRecord(value) ? ownValue(value, name) : undefined;
  return isRecord(part) ? part : undefined;
}

function hasNothing(value: object, name: string): boolean {
  return isRecord(value) && (ownValue(value, name) ?? undefined) === undefined;
}
