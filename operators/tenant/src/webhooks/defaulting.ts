import { type AdmissionWebhook, mutatingWebhook } from "homeostat";
import { isRecord, type JsonPatchOperation, type JsonRecord, ownValue } from "@homeostat/core";
import { Tenant } from "../api/tenant.ts";
import type { TenantSettings } from "../settings/settings.ts";

export type DefaultSettings = Pick<TenantSettings, "defaultServerImage" | "defaultRedisImage">;

/** The webhook that persists defaults, so that a later release of the operator cannot change them. */
export function defaultingWebhook(settings: DefaultSettings): AdmissionWebhook {
  return mutatingWebhook({
    for: Tenant,
    name: "mtenant.kb.io",
    mutate: (tenant) => defaultsOf(tenant, settings),
  });
}

/** Returns the patch that sets the persisted defaults. All other defaults are resolved in each reconcile. */
export function defaultsOf(tenant: object, settings: DefaultSettings): JsonPatchOperation[] {
  const spec = recordAt(tenant, "spec");
  const defaults = {
    server: { replicas: 1, image: settings.defaultServerImage },
    redis: { replicas: 1, image: settings.defaultRedisImage, storage: "1Gi" },
    networkPolicy: { enabled: true },
  };
  if (spec === undefined) return isAbsent(tenant, "spec") ? [{ op: "add", path: "/spec", value: defaults }] : [];
  return Object.entries(defaults).flatMap(([name, fields]): JsonPatchOperation[] => {
    const part = recordAt(spec, name);
    if (part === undefined) return isAbsent(spec, name) ? [{ op: "add", path: `/spec/${name}`, value: fields }] : [];
    return Object.entries(fields)
      .filter(([field]) => isAbsent(part, field))
      .map(([field, value]) => ({ op: "add", path: `/spec/${name}/${field}`, value }));
  });
}

/** Returns the object in a field; undefined for a value of another type, which the schema rejects. */
function recordAt(value: object, name: string): JsonRecord | undefined {
  const part = isRecord(value) ? ownValue(value, name) : undefined;
  return isRecord(part) ? part : undefined;
}

function isAbsent(value: object, name: string): boolean {
  return isRecord(value) && (ownValue(value, name) ?? undefined) === undefined;
}
