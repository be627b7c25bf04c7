import { type DeepReadonly, quantityFromJSON } from "@homeostat/core";
import type { ResourceRequirements } from "@homeostat/kubernetes/core/v1";
import type { Amounts, ComponentResources, TenantSpec } from "../api/tenant.ts";
import type { Texts, WantedQuota } from "./resolved-tenant.ts";

type Amount = string | number;
type Pair = { readonly limit: string; readonly request: string };

/** What a container gets where nothing is said. */
export interface ResourceDefaults {
  readonly cpu: Pair;
  readonly memory: Pair;
}

/** What the containers of a component get: what is said, and the defaults for the rest. */
export function resourcesOf(
  said: DeepReadonly<ComponentResources> | undefined,
  defaults: ResourceDefaults,
): DeepReadonly<ResourceRequirements> {
  const cpu = paired(said?.cpu, defaults.cpu);
  const memory = paired(said?.memory, defaults.memory);
  return {
    limits: { cpu: cpu.limit, memory: memory.limit },
    requests: { cpu: cpu.request, memory: memory.request },
  };
}

/** What a tenant may use in total; undefined when it says nothing about that. */
export function quotaOf({
  resources,
  quota,
  limitRange,
}: Pick<DeepReadonly<TenantSpec>, "resources" | "quota" | "limitRange">): WantedQuota | undefined {
  if (resources === undefined) return undefined;
  const { cpu, memory, storage } = resources;
  const container = { cpu: { limit: "500m", request: "100m" }, memory: { limit: "512Mi", request: "128Mi" } };
  const { limits = {}, requests = {} } = resourcesOf(
    {
      cpu: amounts(limitRange?.default?.cpu, limitRange?.defaultRequest?.cpu),
      memory: amounts(limitRange?.default?.memory, limitRange?.defaultRequest?.memory),
    },
    container,
  );
  return {
    hard: texts({
      "requests.cpu": cpu?.request,
      "limits.cpu": cpu?.limit,
      "requests.memory": memory?.request,
      "limits.memory": memory?.limit,
      "requests.storage": storage?.limit ?? storage?.request,
      ...quota?.counts,
    }),
    containerDefault: texts(limits),
    containerDefaultRequest: texts(requests),
  };
}

/** A default never contradicts what is said: a request above the limit would be refused. */
function paired({ limit, request }: DeepReadonly<Amounts> = {}, defaults: Pair): Pair {
  if (limit !== undefined)
    return { limit: String(limit), request: String(request ?? smaller(defaults.request, limit)) };
  if (request !== undefined) return { limit: String(larger(defaults.limit, request)), request: String(request) };
  return defaults;
}

function smaller(a: Amount, b: Amount): Amount {
  return quantityFromJSON(a).isGreaterThan(quantityFromJSON(b)) ? b : a;
}

function larger(a: Amount, b: Amount): Amount {
  return quantityFromJSON(a).isLessThan(quantityFromJSON(b)) ? b : a;
}

function amounts(limit: Amount | undefined, request: Amount | undefined): Amounts {
  return { ...(limit !== undefined && { limit }), ...(request !== undefined && { request }) };
}

function texts(values: Readonly<Record<string, Amount | undefined>>): Texts {
  const given = Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  return Object.fromEntries(given);
}
