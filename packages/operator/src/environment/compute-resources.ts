// Requests and limits of containers as environment variables, and the chart values that set them. Both are derived from one list,
// so that the chart sets exactly the variables that the program reads.

import type { ResourceRequirements } from "@homeostat/kubernetes/core/v1";
import type { PlainVariable } from "../installation/chart-variable.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

const quantities = [
  { resource: "cpu", variable: "CPU", value: "cpu", formerly: "cpu" },
  { resource: "memory", variable: "MEM", value: "memory", formerly: "mem" },
  { resource: "ephemeral-storage", variable: "EPHEMERAL", value: "ephemeralStorage", formerly: "ephemeral" },
] as const;

/** Quantities by resource; absent means no request or limit. */
export type ComputeQuantities = { readonly [R in (typeof quantities)[number]["resource"]]?: string };

/** Requests and limits of a container. */
export interface ComputeResources {
  readonly requests: ComputeQuantities;
  readonly limits: ComputeQuantities;
}

const suffixes = { requests: "Request", limits: "Limit" } as const;

const none: ComputeResources = { requests: {}, limits: {} };

/** Reads requests and limits from the variables `<prefix>_CPU_REQUEST` to `<prefix>_EPHEMERAL_LIMIT`. */
export function readComputeResources(
  env: EnvironmentReader,
  prefix: string,
  defaults: ComputeResources = none,
): ComputeResources {
  const read = (kind: keyof ComputeResources): ComputeQuantities =>
    Object.fromEntries(
      quantities
        .map(({ resource, variable }) => {
          const name = variableName(prefix, variable, kind);
          return [resource, env.quantity(name, defaults[kind][resource] ?? "")] as const;
        })
        .filter(([, quantity]) => quantity !== ""),
    );
  return { requests: read("requests"), limits: read("limits") };
}

function variableName(prefix: string, quantity: string, kind: keyof ComputeResources): string {
  return `${prefix}_${quantity}_${suffixes[kind].toUpperCase()}`;
}

/** Returns resources in which each quantity of `overrides` replaces that of `base`. */
export function overrideComputeResources(base: ComputeResources, overrides: ComputeResources): ComputeResources {
  return {
    requests: { ...base.requests, ...overrides.requests },
    limits: { ...base.limits, ...overrides.limits },
  };
}

/** Returns the `resources` field of a container, undefined if there are no requests and limits. */
export function computeRequirements({ requests, limits }: ComputeResources): ResourceRequirements | undefined {
  const hasRequests = Object.keys(requests).length > 0;
  const hasLimits = Object.keys(limits).length > 0;
  if (!hasRequests && !hasLimits) return undefined;
  return { ...(hasRequests && { requests: { ...requests } }), ...(hasLimits && { limits: { ...limits } }) };
}

/** Options of {@link computeResourceVariables}. */
export interface ComputeResourceValues {
  /** The prefix of the variables: `POD` for `POD_CPU_REQUEST`. */
  readonly prefix: string;
  /** The path of the chart value with `requests` and `limits`: `pods.resources`. */
  readonly value: string;
  /** The defaults of the chart; without them the values are empty. */
  readonly defaults?: ComputeResources;
  /** The path of the value of another chart with `cpuRequest`, `memLimit` and so on. */
  readonly formerly?: string;
}

/** Returns the chart variables of a container's requests and limits: exactly those that {@link readComputeResources} reads. */
export function computeResourceVariables({
  prefix,
  value,
  defaults = none,
  formerly,
}: ComputeResourceValues): PlainVariable[] {
  return (["requests", "limits"] as const).flatMap((kind) =>
    quantities.map((each): PlainVariable => ({
      variable: variableName(prefix, each.variable, kind),
      value: `${value}.${kind}.${each.value}`,
      default: defaults[kind][each.resource] ?? "",
      ...(formerly !== undefined && { formerly: `${formerly}.${each.formerly}${suffixes[kind]}` }),
    })),
  );
}
