import type { ChronikSettings } from "../settings/settings.ts";

/** The documented defaults of the settings. */
export const defaultSettings: ChronikSettings = {
  operatorNamespace: "chronik-operator-system",
  maxConcurrentReconciles: 4,
  resyncSeconds: 60,
  forceApplySeconds: 3_600,
  maxConcurrentRollouts: 1,
  clusterSelector: undefined,
  clusterDomain: "cluster.local",
  defaultControllerImage: "chronik/controller",
  defaultIngestImage: "chronik/ingest",
  defaultSearchImage: "chronik/search",
  featureGates: [],
};
