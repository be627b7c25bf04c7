// Rules for the members of a cluster, their storage, their resources and their network.

import {
  cidrProblems,
  entryPath,
  forbiddenField,
  invalidField,
  type Problem,
  quantityIn,
  requiredField,
} from "@homeostat/schema";
import { annotations } from "../api/annotations.ts";
import { applyForceOf, applyForces } from "../api/apply-force.ts";
import { components } from "../api/identity.ts";
import { nameLengthMax, namePattern, nameProblem, nameSuffixProblem, reservedNameSuffixes } from "../api/names.ts";
import { counts } from "../api/spec-cluster.ts";
import { quantityProblem } from "../api/spec-common.ts";
import { objectStores } from "../api/spec-storage.ts";
import { type Rule, type RuledSpec, specRule } from "./rule.ts";

const name = new RegExp(namePattern);

export const clusterRules: readonly Rule[] = [
  {
    name: "NameInvalid",
    *check({ metadata }) {
      const given = metadata.name ?? "";
      if (given.length <= nameLengthMax && name.test(given)) return;
      yield invalidField("metadata.name", given, nameProblem);
    },
  },
  {
    name: "NameReserved",
    *check({ metadata }) {
      const given = metadata.name ?? "";
      if (!reservedNameSuffixes.some((suffix) => given.endsWith(suffix))) return;
      yield invalidField("metadata.name", given, nameSuffixProblem);
    },
  },
  {
    name: "ApplyForceUnknown",
    *check({ metadata }) {
      if (applyForceOf(metadata) !== undefined) return;
      const given = metadata.annotations?.[annotations.applyForce];
      const detail = `must be one of ${applyForces.join(", ")}`;
      yield invalidField(entryPath("metadata.annotations", annotations.applyForce), given, detail);
    },
  },
  specRule("ControllersOutOfRange", ({ controllers }) => rangeProblems("spec.controllers", controllers, 1, 9)),
  specRule("IngestNodesOutOfRange", ({ ingestNodes }) => rangeProblems("spec.ingestNodes", ingestNodes, 1, 500)),
  specRule("SearchNodesOutOfRange", ({ searchNodes }) => rangeProblems("spec.searchNodes", searchNodes, 0, 500)),
  specRule("BackendMismatch", function* ({ storage }) {
    for (const backend of objectStores) {
      const path = `spec.storage.${backend}`;
      const isUsed = storage.backend === backend;
      if (isUsed && storage[backend] === undefined) yield requiredField(path, `required if backend is ${backend}`);
      if (!isUsed && storage[backend] !== undefined) {
        yield forbiddenField(path, `can be set only if backend is ${backend}`);
      }
    }
  }),
  specRule("QuantityInvalid", function* (spec) {
    for (const [path, value] of quantities(spec)) {
      const quantity = quantityIn(value);
      if (value === undefined || (quantity !== undefined && quantity.sign() > 0)) continue;
      yield invalidField(path, value, quantityProblem);
    }
  }),
  specRule("MetastoreMismatch", function* ({ metastore: { database, connection, pdEndpoints } }) {
    if (database !== "postgres" && connection !== undefined) {
      yield forbiddenField("spec.metastore.connection", "can be set only if database is postgres");
    }
    const path = "spec.metastore.pdEndpoints";
    if (database === "tikv" && pdEndpoints === undefined) yield requiredField(path, "required if database is tikv");
    if (database !== "tikv" && pdEndpoints !== undefined)
      yield forbiddenField(path, "can be set only if database is tikv");
  }),
  specRule("AutoscalerBounds", function* (spec) {
    for (const [path, { minReplicas, maxReplicas }] of autoscalers(spec)) {
      if (minReplicas <= maxReplicas) continue;
      yield invalidField(`${path}.minReplicas`, minReplicas, "must not be greater than maxReplicas");
    }
  }),
  specRule("AutoscalerTargetMissing", function* (spec) {
    for (const [path, autoscaler] of autoscalers(spec)) {
      const { targetCpuUtilizationPercentage: cpu, targetMemoryUtilizationPercentage: memory } = autoscaler;
      if (cpu !== undefined || memory !== undefined || (autoscaler.customMetrics ?? []).length > 0) continue;
      yield requiredField(path, "at least one target is required");
    }
  }),
  specRule("AutoscalerTargetWithoutRequest", function* ({ autoscaling, resources }) {
    for (const [count, component] of counts) {
      for (const target of ["targetCpuUtilizationPercentage", "targetMemoryUtilizationPercentage"] as const) {
        const value = autoscaling?.[count]?.[target];
        if (value === undefined || resources?.[component] !== undefined) continue;
        const detail = `requires resources.${component}: the target is a percentage of the request`;
        yield invalidField(`spec.autoscaling.${count}.${target}`, value, detail);
      }
    }
  }),
  specRule("AutoscalerBoundsEven", function* ({ autoscaling }) {
    for (const bound of ["minReplicas", "maxReplicas"] as const) {
      const value = autoscaling?.controllers?.[bound] ?? 1;
      if (value % 2 === 1) continue;
      yield invalidField(`spec.autoscaling.controllers.${bound}`, value, "must be odd, because controllers vote");
    }
  }),
  specRule("CustomMetricUtilization", function* (spec) {
    for (const [path, { customMetrics = [] }] of autoscalers(spec)) {
      for (const [index, { targetType }] of customMetrics.entries()) {
        if (targetType !== "Utilization") continue;
        const detail = "custom metrics have no utilization; use AverageValue or Value";
        yield invalidField(`${path}.customMetrics[${index}].targetType`, targetType, detail);
      }
    }
  }),
  specRule("BudgetAmbiguous", function* ({ podDisruptionBudget: { minAvailable, maxUnavailable } }) {
    if (minAvailable === undefined || maxUnavailable === undefined) return;
    const detail = "minAvailable and maxUnavailable must not both be set";
    yield invalidField("spec.podDisruptionBudget.minAvailable", minAvailable, detail);
  }),
  specRule("TlsIncomplete", function* ({ security: { tlsEnabled, tlsSecret, mtlsEnabled } }) {
    if (tlsEnabled && tlsSecret === undefined) {
      yield requiredField("spec.security.tlsSecret", "required if tlsEnabled is true");
    }
    if (mtlsEnabled && !tlsEnabled) yield invalidField("spec.security.mtlsEnabled", true, "requires tlsEnabled");
  }),
  specRule("LimitBelowRequest", function* ({ resources }) {
    for (const component of components) {
      for (const amount of ["cpu", "memory"] as const) {
        const { [amount]: request, [`${amount}Limit` as const]: limit } = resources?.[component] ?? {};
        const least = quantityIn(request);
        if (least === undefined || quantityIn(limit)?.isLessThan(least) !== true) continue;
        const detail = `must not be smaller than ${amount}`;
        yield invalidField(`spec.resources.${component}.${amount}Limit`, limit, detail);
      }
    }
  }),
  specRule("SourceRangesInvalid", function* ({ network: { serviceType, loadBalancerSourceRanges } }) {
    const path = "spec.network.loadBalancerSourceRanges";
    if (loadBalancerSourceRanges !== undefined && serviceType !== "LoadBalancer") {
      yield forbiddenField(path, "requires the serviceType LoadBalancer");
    }
    yield* cidrProblems(path, loadBalancerSourceRanges);
  }),
  specRule("HostNetworkWithoutAntiAffinity", function* ({ network: { hostNetwork }, antiAffinity }) {
    if (!hostNetwork || antiAffinity === "required") return;
    yield invalidField("spec.antiAffinity", antiAffinity, "must be required if hostNetwork is true");
  }),
  specRule("TracingWithoutEndpoint", function* ({ monitoring: { tracing, otlpEndpoint } }) {
    if (!tracing || otlpEndpoint !== undefined) return;
    yield requiredField("spec.monitoring.otlpEndpoint", "required if tracing is true");
  }),
  specRule("TooManyInsyncReplicas", function* ({ tuning: { minInsyncReplicas, replicationFactor } }) {
    if (minInsyncReplicas <= replicationFactor) return;
    const detail = "must not be greater than replicationFactor";
    yield invalidField("spec.tuning.minInsyncReplicas", minInsyncReplicas, detail);
  }),
  specRule("RegistryWithoutCredentials", function* ({ tuning: { schemaRegistry } }) {
    if (!schemaRegistry.authEnabled || schemaRegistry.credentialsSecret !== undefined) return;
    yield requiredField("spec.tuning.schemaRegistry.credentialsSecret", "required if authEnabled is true");
  }),
  specRule("TooManyUnavailable", function* ({ updateStrategy: { maxUnavailable }, ingestNodes }) {
    if (maxUnavailable === 1 || maxUnavailable < ingestNodes) return;
    yield invalidField("spec.updateStrategy.maxUnavailable", maxUnavailable, "must be smaller than ingestNodes");
  }),
  specRule("WindowInvalid", function* ({ updateStrategy: { windows = [] } }) {
    for (const [index, { timeZone }] of windows.entries()) {
      if (isTimeZone(timeZone)) continue;
      const detail = "must be an IANA time zone, such as Europe/Berlin";
      yield invalidField(`spec.updateStrategy.windows[${index}].timeZone`, timeZone, detail);
    }
  }),
  specRule("ConfigKeyInvalid", function* ({ config }) {
    for (const part of ["common", ...components] as const) {
      for (const key of Object.keys(config?.[part] ?? {})) {
        if (/^[a-z0-9][a-z0-9._-]{0,62}$/.test(key)) continue;
        const detail = "must be at most 63 lower-case letters, digits, dots, dashes and underscores";
        yield invalidField(entryPath(`spec.config.${part}`, key), key, detail);
      }
    }
  }),
];

function* rangeProblems(path: string, value: number, min: number, max: number): Iterable<Problem> {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  yield invalidField(path, value, `must be an integer from ${min} to ${max}`);
}

function* quantities(spec: RuledSpec): Iterable<[string, string | undefined]> {
  yield ["spec.storage.size", spec.storage.size];
  yield ["spec.storage.search.size", spec.storage.search.size];
  for (const component of components) {
    const resources = spec.resources?.[component];
    for (const amount of ["cpu", "memory", "cpuLimit", "memoryLimit"] as const) {
      yield [`spec.resources.${component}.${amount}`, resources?.[amount]];
    }
  }
  for (const [path, { customMetrics = [] }] of autoscalers(spec)) {
    for (const [index, { targetValue }] of customMetrics.entries()) {
      yield [`${path}.customMetrics[${index}].targetValue`, targetValue];
    }
  }
}

function autoscalers({ autoscaling }: RuledSpec) {
  return counts.flatMap(([count]) => {
    const autoscaler = autoscaling?.[count];
    return autoscaler === undefined ? [] : [[`spec.autoscaling.${count}`, autoscaler] as const];
  });
}

function isTimeZone(name: string): boolean {
  // Offsets such as +02:00 are accepted by Intl, but do not follow daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
