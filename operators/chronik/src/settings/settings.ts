// The settings of the operator: flags with their environment variables.

import { flag, type FlagAliases } from "homeostat";
import { dnsSubdomainProblems, parseImage, parseLabelSelector } from "@homeostat/core";
import type { SettingsOf } from "@homeostat/operator";

const imageWithoutTag = (text: string): string | undefined => {
  const image = parseImage(text);
  if (image === undefined) return "must be an image reference";
  const isTagged = image.tag !== undefined || image.digest !== undefined;
  return isTagged ? "must be an image reference without a tag: spec.version is the tag" : undefined;
};

const domain = (text: string): string | undefined =>
  dnsSubdomainProblems(text).length === 0 ? undefined : "must be a DNS domain, such as cluster.local";

const labelSelector = (text: string): string | undefined => {
  try {
    parseLabelSelector(text);
    return undefined;
  } catch {
    return "must be a label selector, such as team=a,stage!=test";
  }
};

/** Features that are off by default, because they need permissions on nodes. */
export const featureGates = {
  /** Spreads controllers over zones strictly if there are at least three zones. Requires permission to list nodes. */
  ZoneSpread: false,
  /**
   * Advertises the external addresses of nodes instead of their host IPs, and adds zones to search slots on Kubernetes before 1.35. Requires permission
   * to get nodes.
   */
  NodeDetails: false,
} as const;

/** Verbs on nodes that each feature needs. */
const verbsOfFeatures: Readonly<Record<FeatureGate, string>> = { ZoneSpread: "list", NodeDetails: "get" };

export type FeatureGate = keyof typeof featureGates;

const featureGate = (text: string): string | undefined => {
  const names = Object.keys(featureGates).join(", ");
  const [name = "", value = ""] = text.split("=", 2);
  const isValid = Object.hasOwn(featureGates, name) && ["true", "false"].includes(value);
  return isValid ? undefined : `must be a list of Name=true or Name=false with the names ${names}`;
};

const defaultImage = (component: string) =>
  flag.text({
    default: `chronik/${component}`,
    help: `default image of ${component} containers, without a tag`,
    placeholder: "image",
    check: imageWithoutTag,
  });

/** The flags of this operator, in addition to those of every operator. */
export const chronikFlags = {
  maxConcurrentReconciles: flag.integer({
    default: 4,
    min: 1,
    max: 100,
    help: "number of clusters reconciled concurrently",
  }),
  resyncSeconds: flag.integer({
    default: 60,
    min: 1,
    max: 86_400,
    help: "seconds between periodic reconciles of a running cluster",
  }),
  forceApplySeconds: flag.integer({
    default: 3_600,
    min: 0,
    max: 2_592_000,
    help: "interval in seconds at which every object of a cluster is applied even without a difference; 0 disables it",
  }),
  maxConcurrentRollouts: flag.integer({
    default: 1,
    min: 1,
    max: 1000,
    help: "number of clusters that restart pods concurrently because of a new version of the operator",
  }),
  clusterSelector: flag.optional({
    help: "label selector of the ChronikClusters to reconcile; all when empty",
    placeholder: "selector",
    check: labelSelector,
  }),
  clusterDomain: flag.text({
    default: "cluster.local",
    help: "DNS domain of the Kubernetes cluster",
    placeholder: "domain",
    check: domain,
  }),
  defaultControllerImage: defaultImage("controller"),
  defaultIngestImage: defaultImage("ingest"),
  defaultSearchImage: defaultImage("search"),
  featureGates: flag.list({
    default: [],
    help: "features to turn on or off, as Name=true,Name=false: ZoneSpread lists nodes to spread controllers over zones, NodeDetails reads nodes for their addresses and zones",
    placeholder: "gates",
    check: featureGate,
  }),
};

/** Names of flags and environment variables under which users know flags of every operator. */
export const flagAliases: FlagAliases = {
  "operator-namespace": { flag: "namespace", env: "OPERATOR_NAMESPACE" },
  "operator-name": { flag: "instance", env: "OPERATOR_NAME" },
  "leader-election": { flag: "leader-elect", env: "LEADER_ELECTION" },
  "metrics-addr": { flag: "metrics-bind-address", env: "METRICS_ADDR" },
  "health-addr": { flag: "health-probe-bind-address", env: "HEALTH_ADDR" },
  "enable-webhook": { flag: "webhooks", env: "ENABLE_WEBHOOK" },
};

/** The values of the flags, and the operator's namespace. */
export type ChronikSettings = SettingsOf<typeof chronikFlags> & { readonly operatorNamespace: string };

/** The settings that desired objects depend on. */
export type ResolveSettings = Pick<
  ChronikSettings,
  "operatorNamespace" | "clusterDomain" | "defaultControllerImage" | "defaultIngestImage" | "defaultSearchImage"
>;

/** Reports whether a feature is on. If it is given several times, the last value counts. */
export function isFeatureOn(settings: Pick<ChronikSettings, "featureGates">, gate: FeatureGate): boolean {
  const given = settings.featureGates.findLast((each) => each.startsWith(`${gate}=`));
  return given === undefined ? featureGates[gate] : given === `${gate}=true`;
}

/** Returns the verbs on nodes that the enabled features need. */
export function nodeVerbs(settings: Pick<ChronikSettings, "featureGates">): readonly string[] {
  const gates: readonly FeatureGate[] = ["ZoneSpread", "NodeDetails"];
  return gates.filter((gate) => isFeatureOn(settings, gate)).map((gate) => verbsOfFeatures[gate]);
}
