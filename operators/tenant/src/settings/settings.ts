import { flag, type FlagAliases } from "homeostat";
import { dnsLabelProblems, dnsSubdomainProblems, parseImage, podSecurityLevels } from "@homeostat/core";
import type { SettingsOf } from "@homeostat/operator";

export const exporterImage = "oliver006/redis_exporter:v1.43.0";

const imageName = (text: string): string | undefined =>
  parseImage(text) === undefined ? "must be an image reference" : undefined;

const namespaceName = (text: string): string | undefined =>
  dnsLabelProblems(text).length === 0 ? undefined : "must be the name of a namespace";

const labelKeyOrDomain = (text: string): string | undefined =>
  dnsSubdomainProblems(text).length === 0 ? undefined : "must be a label key without a prefix, or a domain";

function httpUrl(text: string): string | undefined {
  const isHttp = URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
  return isHttp ? undefined : "must be an http:// or https:// URL";
}

/**
 * Labels and annotations by which a namespace gets privileges from other controllers. The operator may set them, the author of
 * a tenant often may not, so they are rejected in `spec.namespaceMetadata`. A domain stands for all keys under it.
 */
const privilegedNamespaceKeys = [
  // Exempt a namespace from admission policies and webhooks.
  "control-plane",
  "gatekeeper.sh",
  "kyverno.io",
  // Run levels and user id ranges of OpenShift, which weaken its security context constraints.
  "openshift.io",
  // Assign a namespace to a project, tenant or hierarchy, and so give it the permissions and quotas of that.
  "cattle.io",
  "clastix.io",
  "x-k8s.io",
  // Cloud identities that pods of the namespace may take.
  "amazonaws.com",
  "cloud.google.com",
  // Address pools and gateways of the pod network.
  "ovn.org",
  "projectcalico.org",
];

/** The flags of this operator, in addition to those of every operator. */
export const tenantFlags = {
  maxConcurrentReconciles: flag.integer({
    default: 4,
    min: 1,
    max: 100,
    help: "number of tenants reconciled concurrently",
  }),
  resyncInterval: flag.duration({
    default: 300_000,
    minMs: 1000,
    maxMs: 86_400_000,
    help: "time between periodic reconciles of a tenant",
  }),
  minimumPodSecurity: flag.choice({
    default: "baseline",
    choices: podSecurityLevels,
    help: "weakest Pod Security level that a tenant may enforce in its namespace",
  }),
  reservedNamespaceKeys: flag.list({
    default: privilegedNamespaceKeys,
    help: "label and annotation keys, or domains of keys, that spec.namespaceMetadata must not set, in addition to those of Kubernetes and of this operator",
    check: labelKeyOrDomain,
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
    default: "neurallog/server:latest",
    help: "server image of tenants that do not set one",
    placeholder: "image",
    check: imageName,
  }),
  defaultRedisImage: flag.text({
    default: "redis:7-alpine",
    help: "Redis image of tenants that do not set one",
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

/** The values of the flags, and the operator's namespace, from which `security.authSecret` may take a password. */
export type TenantSettings = SettingsOf<typeof tenantFlags> & { readonly operatorNamespace: string };

/** The settings that validation depends on. */
export type RuleSettings = Pick<TenantSettings, "operatorNamespace" | "minimumPodSecurity" | "reservedNamespaceKeys">;

/** The settings that desired objects depend on. */
export type ResolveSettings = Pick<
  TenantSettings,
  "defaultServerImage" | "defaultRedisImage" | "authServiceUrl" | "authServiceNamespace"
>;
