// What the pods of both components have in common.

import type { DeepReadonly } from "@homeostat/core";
import type { Container, EnvVar, PodSpec } from "@homeostat/kubernetes/core/v1";
import { names } from "../api/names.ts";
import { secretKeys } from "./redis-secret.ts";
import type { Wanted, WantedPods, WantedScrape } from "./resolved-tenant.ts";

/** What a container may never do, so that the strictest level of pod security takes it. */
export const lockedDown: NonNullable<DeepReadonly<Container>["securityContext"]> = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** The pod of a component, without its containers. */
export function podBasics(pods: WantedPods, account: string): Omit<DeepReadonly<PodSpec>, "containers"> {
  const { nodeSelector, tolerations, affinity } = pods.placement;
  return {
    serviceAccountName: account,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: pods.graceSeconds,
    ...(pods.imagePullSecrets.length > 0 && { imagePullSecrets: pods.imagePullSecrets.map((name) => ({ name })) }),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(tolerations.length > 0 && { tolerations }),
    ...(affinity !== undefined && { affinity }),
  };
}

/** What pods say to who collects metrics. */
export function scrapeAnnotations(scrape: WantedScrape | undefined): Record<string, string> {
  if (scrape === undefined) return {};
  return {
    "prometheus.io/scrape": "true",
    "prometheus.io/port": String(scrape.port),
    "prometheus.io/path": scrape.path,
    ...(scrape.interval !== undefined && { "prometheus.io/interval": scrape.interval }),
  };
}

/** A variable that comes from the Secret of Redis. */
export function fromRedisSecret(
  wanted: Pick<Wanted, "name">,
  name: string,
  key: keyof typeof secretKeys,
): DeepReadonly<EnvVar> {
  return { name, valueFrom: { secretKeyRef: { name: names.redisAuth(wanted.name), key: secretKeys[key] } } };
}
