// Resources of containers, the tenant's quota, and where pods may run.

import type { DeepReadonly } from "homeostat";
import { quantityFromJSON } from "@homeostat/core";
import type { PullPolicy, ResourceRequirements } from "@homeostat/kubernetes/core/v1";
import type { Amounts, ComponentResources, RedisSpec, ServerSpec, TenantSpec } from "../api/tenant.ts";

type Amount = string | number;
type Pair = { readonly limit: string; readonly request: string };
type ResourceDefaults = { readonly cpu: Pair; readonly memory: Pair };

/** Resolves the fields that the pods of both components have. */
export function resolvePods(
  { nodeSelector, tolerations }: Pick<DeepReadonly<TenantSpec>, "nodeSelector" | "tolerations">,
  component: DeepReadonly<ServerSpec> | DeepReadonly<RedisSpec>,
  defaults: { readonly resources: ResourceDefaults; readonly image: string; readonly graceSeconds: number },
) {
  const imagePullPolicy: PullPolicy = component.imagePullPolicy ?? "IfNotPresent";
  return {
    replicas: component.replicas,
    image: component.image ?? defaults.image,
    imagePullPolicy,
    imagePullSecrets: component.imagePullSecrets ?? [],
    resources: resolveResources(component.resources, defaults.resources),
    graceSeconds: component.terminationGracePeriodSeconds ?? defaults.graceSeconds,
    nodeSelector: { ...nodeSelector, ...component.nodeSelector },
    tolerations: component.tolerations ?? tolerations ?? [],
    affinity: component.affinity,
  };
}

/** Resolves the resources of a container. A default request never exceeds a given limit, and a default limit is never below a given request. */
export function resolveResources(
  given: DeepReadonly<ComponentResources> | undefined,
  defaults: ResourceDefaults,
): DeepReadonly<ResourceRequirements> {
  const cpu = limitAndRequest(given?.cpu, defaults.cpu);
  const memory = limitAndRequest(given?.memory, defaults.memory);
  return {
    limits: { cpu: cpu.limit, memory: memory.limit },
    requests: { cpu: cpu.request, memory: memory.request },
  };
}

const containerDefaults = { cpu: { limit: "500m", request: "100m" }, memory: { limit: "512Mi", request: "128Mi" } };

/** Resolves the content of the ResourceQuota and of the LimitRange; undefined without `spec.resources`. */
export function resolveQuota({
  resources,
  quota,
  limitRange,
}: Pick<DeepReadonly<TenantSpec>, "resources" | "quota" | "limitRange">) {
  if (resources === undefined) return undefined;
  const { cpu, memory, storage } = resources;
  const { default: limit, defaultRequest: request } = limitRange ?? {};
  const container = resolveResources(
    { cpu: amounts(limit?.cpu, request?.cpu), memory: amounts(limit?.memory, request?.memory) },
    containerDefaults,
  );
  return {
    hard: asStrings({
      "requests.cpu": cpu?.request,
      "limits.cpu": cpu?.limit,
      "requests.memory": memory?.request,
      "limits.memory": memory?.limit,
      "requests.storage": storage?.limit ?? storage?.request,
      ...quota?.counts,
    }),
    containerDefault: asStrings(container.limits ?? {}),
    containerDefaultRequest: asStrings(container.requests ?? {}),
  };
}

function limitAndRequest({ limit, request }: DeepReadonly<Amounts> = {}, defaults: Pair): Pair {
  const isAbove = (a: Amount, b: Amount): boolean => quantityFromJSON(a).isGreaterThan(quantityFromJSON(b));
  if (limit !== undefined) {
    const fitting = isAbove(defaults.request, limit) ? limit : defaults.request;
    return { limit: String(limit), request: String(request ?? fitting) };
  }
  if (request === undefined) return defaults;
  return { limit: String(isAbove(request, defaults.limit) ? request : defaults.limit), request: String(request) };
}

function amounts(limit: Amount | undefined, request: Amount | undefined): Amounts {
  return { ...(limit !== undefined && { limit }), ...(request !== undefined && { request }) };
}

function asStrings(values: Readonly<Record<string, Amount | undefined>>): Readonly<Record<string, string>> {
  const given = Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  return Object.fromEntries(given);
}
