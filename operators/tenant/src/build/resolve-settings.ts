import type { TenantSettings } from "../settings/settings.ts";

/** What objects are made from beside the tenant. */
export type ResolveSettings = Pick<
  TenantSettings,
  "defaultServerImage" | "defaultRedisImage" | "authServiceUrl" | "authServiceNamespace"
>;
