import type { TenantSettings } from "../settings/settings.ts";

/** The documented defaults of the settings. */
export const defaultSettings: TenantSettings = {
  operatorNamespace: "neurallog-system",
  defaultServerImage: "neurallog/server:latest",
  defaultRedisImage: "redis:7-alpine",
  minimumPodSecurity: "baseline",
  authServiceUrl: undefined,
  authServiceNamespace: undefined,
  maxConcurrentReconciles: 4,
  resyncInterval: 300_000,
};
