import type { TenantSettings } from "../settings/settings.ts";

/** The documented defaults of the settings. */
export const defaultSettings: TenantSettings = {
  operatorNamespace: "neurallog-system",
  defaultServerImage: "neurallog/server:latest",
  defaultRedisImage: "redis:7-alpine",
  minimumPodSecurity: "baseline",
  reservedNamespaceKeys: [
    "control-plane",
    "gatekeeper.sh",
    "kyverno.io",
    "openshift.io",
    "cattle.io",
    "clastix.io",
    "x-k8s.io",
    "amazonaws.com",
    "cloud.google.com",
    "ovn.org",
    "projectcalico.org",
  ],
  authServiceUrl: undefined,
  authServiceNamespace: undefined,
  maxConcurrentReconciles: 4,
  resyncInterval: 300_000,
};
