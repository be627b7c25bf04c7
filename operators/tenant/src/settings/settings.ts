import { flag } from "homeostat";
import { dnsLabelProblems } from "@homeostat/core";
import type { FlagAliases, SettingsOf } from "@homeostat/operator";
import { parseImage, redisImage, serverImage } from "./images.ts";

/** The settings of the operator. */
export interface TenantSettings {
  /** The operator's namespace: beside its own, the only one that a tenant's password may come from. */
  readonly operatorNamespace: string;
  readonly defaultServerImage: string;
  readonly defaultRedisImage: string;
  /** The value of `AUTH_URL` in servers. */
  readonly authServiceUrl: string | undefined;
  /** The namespace that servers may reach the authentication service in. */
  readonly authServiceNamespace: string | undefined;
  readonly maxConcurrentReconciles: number;
  readonly resyncIntervalMs: number;
}

/** The settings that desired objects depend on. */
export type ResolveSettings = Pick<
  TenantSettings,
  "defaultServerImage" | "defaultRedisImage" | "authServiceUrl" | "authServiceNamespace"
>;

export const defaultSettings: TenantSettings = {
  operatorNamespace: "neurallog-system",
  defaultServerImage: serverImage,
  defaultRedisImage: redisImage,
  authServiceUrl: undefined,
  authServiceNamespace: undefined,
  maxConcurrentReconciles: 4,
  resyncIntervalMs: 300_000,
};

const imageName = (text: string): string | undefined =>
  parseImage(text) === undefined ? "must be an image reference" : undefined;

const namespaceName = (text: string): string | undefined =>
  dnsLabelProblems(text).length === 0 ? undefined : "must be the name of a namespace";

function httpUrl(text: string): string | undefined {
  const isHttp = URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
  return isHttp ? undefined : "must be a URL that begins with http:// or https://";
}

/** The flags of this operator beside those of every operator. */
export const tenantFlags = {
  maxConcurrentReconciles: flag.integer({
    default: defaultSettings.maxConcurrentReconciles,
    min: 1,
    max: 100,
    help: "number of tenants reconciled at the same time",
  }),
  resyncInterval: flag.duration({
    default: defaultSettings.resyncIntervalMs,
    minMs: 1000,
    maxMs: 86_400_000,
    help: "time between periodic reconciles of a tenant",
  }),
  authServiceUrl: flag.optional({
    help: "URL of the authentication service, passed to servers",
    placeholder: "url",
    check: httpUrl,
  }),
  authServiceNamespace: flag.optional({
    help: "namespace of the authentication service, which servers may reach",
    placeholder: "name",
    check: namespaceName,
  }),
  defaultServerImage: flag.text({
    default: serverImage,
    help: "server image of tenants that name none",
    placeholder: "image",
    check: imageName,
  }),
  defaultRedisImage: flag.text({
    default: redisImage,
    help: "Redis image of tenants that name none",
    placeholder: "image",
    check: imageName,
  }),
};

/** Flags of the operator that this one replaces. */
export const flagAliases: FlagAliases = {
  "enable-webhooks": "webhooks",
  "cert-dir": { flag: "webhook-cert-dir", env: "CERT_DIR" },
  "leader-election-namespace": { flag: "namespace", env: "LEADER_ELECTION_NAMESPACE" },
};

/** Returns the settings from the values of the flags. */
export function settingsOf(
  { resyncInterval, ...values }: SettingsOf<typeof tenantFlags>,
  { operatorNamespace }: Pick<TenantSettings, "operatorNamespace">,
): TenantSettings {
  return { ...values, resyncIntervalMs: resyncInterval, operatorNamespace };
}
