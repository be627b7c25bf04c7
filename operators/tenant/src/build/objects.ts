// Metadata, labels and pod fields that all builders share, and the objects that both components have.

import type { DeepReadonly, KubeObject } from "homeostat";
import { restrictedContainerContext } from "@homeostat/core";
import type { Container, EnvVar, PodSpec, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import type { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { type Component, fieldManager, labels, manager } from "../api/identity.ts";
import { names } from "../api/names.ts";
import { secretKeys } from "./redis-secret.ts";
import type { ResolvedRedis, ResolvedServer, ResolvedTenant } from "./resolve.ts";

/** A desired object in the tenant's namespace, without its kind and the marks of its owner. */
export type ChildObject<T extends KubeObject = KubeObject> = Omit<DeepReadonly<T>, "apiVersion" | "kind"> & {
  readonly metadata: { readonly name: string; readonly namespace: string };
};

export type Workload = "redis" | "server";

/** Values of the label `app`. */
export const apps: Readonly<Record<Workload, string>> = { redis: "redis", server: "neurallog-server" };

/** Returns the labels by which Services, workloads and policies select pods. They never change: selectors of workloads are immutable. */
export function selectorOf({ name }: Pick<ResolvedTenant, "name">, component: Workload): Record<string, string> {
  return { [labels.app]: apps[component], [labels.tenant]: name };
}

/** Returns the labels of every object of a tenant. */
export function labelsOf({ name }: Pick<ResolvedTenant, "name">, component?: Component): Record<string, string> {
  return {
    [labels.tenant]: name,
    [labels.managedBy]: manager,
    "app.kubernetes.io/instance": name,
    "app.kubernetes.io/part-of": "neurallog",
    "app.kubernetes.io/managed-by": fieldManager,
    ...(component !== undefined && { [labels.component]: component, "app.kubernetes.io/component": component }),
    ...((component === "redis" || component === "server") && { "app.kubernetes.io/name": apps[component] }),
  };
}

/** Returns the labels of a workload and of its pods. */
export function workloadLabels(resolved: Pick<ResolvedTenant, "name">, component: Workload): Record<string, string> {
  return { ...labelsOf(resolved, component), ...selectorOf(resolved, component) };
}

export function metadataOf(
  resolved: Pick<ResolvedTenant, "name" | "namespace">,
  { name, component }: { readonly name: string; readonly component: Component },
): ChildObject["metadata"] {
  return { name, namespace: resolved.namespace, labels: labelsOf(resolved, component) };
}

/** Builds the ServiceAccount of a component's pods. It has no permissions, and its token is not mounted. */
export function serviceAccount(resolved: ResolvedTenant, component: Workload): ChildObject<ServiceAccount> {
  return {
    metadata: metadataOf(resolved, { name: names[component](resolved.name), component }),
    automountServiceAccountToken: false,
  };
}

/** Builds the disruption budget; undefined for a single replica, for which it would block every drain of the node. */
export function disruptionBudget(
  resolved: ResolvedTenant,
  component: Workload,
): ChildObject<PodDisruptionBudget> | undefined {
  if (resolved[component].replicas <= 1) return undefined;
  return {
    metadata: metadataOf(resolved, { name: names[component](resolved.name), component }),
    spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(resolved, component) } },
  };
}

/** The security context of containers that write only to their volumes. The restricted Pod Security level accepts it. */
export const restricted: NonNullable<DeepReadonly<Container>["securityContext"]> = {
  ...restrictedContainerContext,
  readOnlyRootFilesystem: true,
};

/** Builds the pod spec of a component, without its containers. */
export function podBasics(
  { nodeSelector, tolerations, affinity, imagePullSecrets, graceSeconds }: ResolvedRedis | ResolvedServer,
  account: string,
): Omit<DeepReadonly<PodSpec>, "containers"> {
  return {
    serviceAccountName: account,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: graceSeconds,
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(tolerations.length > 0 && { tolerations }),
    ...(affinity !== undefined && { affinity }),
  };
}

/** Returns the pod annotations by which Prometheus discovers scrape targets. */
export function scrapeAnnotations(scrape: ResolvedServer["scrape"]): Record<string, string> {
  if (scrape === undefined) return {};
  return {
    "prometheus.io/scrape": "true",
    "prometheus.io/port": String(scrape.port),
    "prometheus.io/path": scrape.path,
    ...(scrape.interval !== undefined && { "prometheus.io/interval": scrape.interval }),
  };
}

/** Returns an environment variable with a value of the Redis Secret. */
export function fromRedisSecret(
  resolved: Pick<ResolvedTenant, "name">,
  name: string,
  key: keyof typeof secretKeys,
): DeepReadonly<EnvVar> {
  return { name, valueFrom: { secretKeyRef: { name: names.redisAuth(resolved.name), key: secretKeys[key] } } };
}
