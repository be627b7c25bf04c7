import { s } from "homeostat";
import type { ValidationRule } from "@homeostat/schema";
import {
  affinity,
  env,
  nodeSelector,
  objectName,
  podAnnotations,
  podLabels,
  quantity,
  secretKey,
  texts,
  tolerations,
  topologySpreadConstraints,
} from "./spec-common.ts";
import { autoscaling, deletion, podDisruptionBudget, scaleDown, updateStrategy } from "./spec-scaling.ts";
import { security } from "./spec-security.ts";
import { metastore, storage } from "./spec-storage.ts";
import { template } from "./spec-template.ts";

const limitRule = (name: "cpu" | "memory"): ValidationRule => ({
  rule: `!has(self.${name}Limit) || !isQuantity(self.${name}Limit) || !isQuantity(self.${name}) || quantity(self.${name}Limit).compareTo(quantity(self.${name})) >= 0`,
  message: `${name}Limit must not be smaller than ${name}`,
  reason: "FieldValueInvalid",
  fieldPath: `.${name}Limit`,
});

const componentResources = s
  .object({
    cpu: quantity.describe("CPU request."),
    memory: quantity.describe("Memory request."),
    cpuLimit: quantity.optional(),
    memoryLimit: quantity.optional(),
  })
  .rule(limitRule("cpu"))
  .rule(limitRule("memory"))
  .optional();

const resources = s.object({
  controller: componentResources,
  ingest: componentResources,
  search: componentResources,
});

const imageName = s.string().min(1).max(512).optional();

const image = s.object({
  controller: imageName.describe(
    "Default: the operator's default image, with the value of version as the tag, or latest.",
  ),
  ingest: imageName.describe("Default: the operator's default image, with the value of version as the tag, or latest."),
  search: imageName.describe("Default: the operator's default image, with the value of version as the tag, or latest."),
  pullPolicy: s.enum("Always", "IfNotPresent", "Never").optional(),
  pullSecrets: s.list(objectName).set().max(16).optional().describe("Names of Secrets."),
});

const monitoring = s
  .object({
    prometheus: s.bool().default(false).describe("If true, pods have annotations for Prometheus."),
    tracing: s.bool().default(false).describe("If true, components send traces. Requires otlpEndpoint."),
    otlpEndpoint: s
      .string()
      .max(512)
      .pattern(String.raw`^(https?://[^\s]+|[^\s:/]+:[0-9]{1,5})$`)
      .optional()
      .describe("Address of the collector: an http:// or https:// URL, or host:port."),
  })
  .rule({
    rule: "!self.tracing || has(self.otlpEndpoint)",
    message: "otlpEndpoint is required if tracing is true",
    reason: "FieldValueInvalid",
    fieldPath: ".otlpEndpoint",
  });

const network = s
  .object({
    serviceType: s
      .enum("ClusterIP", "NodePort", "LoadBalancer")
      .default("ClusterIP")
      .describe(
        "Type of the Service that Kafka clients connect to. Clients outside of the Kubernetes cluster use the address of the load balancer, or those of the nodes with the node port.",
      ),
    loadBalancerSourceRanges: s
      .list(s.string().max(64))
      .set()
      .max(64)
      .optional()
      .describe("CIDRs that may connect. Only with the type LoadBalancer."),
    serviceAnnotations: texts(64, 4096).optional().describe("Annotations of the Services for clients."),
    hostNetwork: s
      .bool()
      .default(false)
      .describe("If true, pods use the network of their node. Requires antiAffinity: required."),
    dnsPolicy: s.enum("ClusterFirst", "ClusterFirstWithHostNet", "Default").optional(),
    clusterDomain: s
      .string()
      .min(1)
      .max(253)
      .pattern(String.raw`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)
      .optional()
      .describe("DNS domain of the Kubernetes cluster. Default: the cluster domain of the operator's settings."),
    externalAccess: s
      .bool()
      .default(false)
      .describe(
        "If true, every ingest node has a separate Service, and advertises its address to clients outside of the Kubernetes cluster.",
      ),
    networkPolicy: s.bool().default(false).describe("If true, NetworkPolicies admit only the ports of the components."),
  })
  .rule({
    rule: "!has(self.loadBalancerSourceRanges) || self.serviceType == 'LoadBalancer'",
    message: "loadBalancerSourceRanges requires the serviceType LoadBalancer",
    reason: "FieldValueInvalid",
    fieldPath: ".loadBalancerSourceRanges",
  });

const tuning = s
  .object({
    replicationFactor: s.int().min(1).max(9).default(3).describe("Number of copies of a partition."),
    minInsyncReplicas: s.int().min(1).max(9).default(2).describe("Number of copies that must confirm a write."),
    walProfile: s.enum("low", "medium", "high", "ultra").default("medium"),
    produceProfile: s.enum("low-latency", "balanced", "high-throughput", "extreme").default("balanced"),
    logLevel: s.string().min(1).max(256).default("info"),
    autoRecover: s.bool().default(true),
    columnarEnabled: s.bool().default(false),
    schemaRegistry: s
      .object({
        enabled: s.bool().default(false),
        authEnabled: s.bool().default(false),
        credentialsSecret: objectName.optional().describe("Secret with the keys username and password."),
      })
      .rule({
        rule: "!self.authEnabled || has(self.credentialsSecret)",
        message: "credentialsSecret is required if authEnabled is true",
        reason: "FieldValueInvalid",
        fieldPath: ".credentialsSecret",
      })
      .default({}),
    vectorSearch: s
      .object({
        enabled: s.bool().default(false),
        provider: s.string().min(1).max(63).default("openai"),
        model: s.string().min(1).max(128).default("text-embedding-3-small"),
        apiKeySecret: secretKey.optional(),
      })
      .default({}),
  })
  .rule({
    rule: "self.minInsyncReplicas <= self.replicationFactor",
    message: "minInsyncReplicas must not be greater than replicationFactor",
    reason: "FieldValueInvalid",
    fieldPath: ".minInsyncReplicas",
  });

const configMap = texts(64).optional();

const config = s.object({
  common: configMap.describe("Configuration keys of all components."),
  controller: configMap,
  ingest: configMap,
  search: configMap,
});

/** The autoscaled counts, and the component that each one counts. */
export const counts = [
  ["controllers", "controller"],
  ["ingestNodes", "ingest"],
  ["searchNodes", "search"],
] as const;

const targetRules = counts.flatMap(([count, component]) =>
  (["Cpu", "Memory"] as const).map((amount): ValidationRule => {
    const target = `target${amount}UtilizationPercentage`;
    const block = `self.autoscaling.${count}`;
    return {
      rule: `!has(self.autoscaling) || !has(${block}) || !has(${block}.${target}) || (has(self.resources) && has(self.resources.${component}))`,
      message: `requires resources.${component}: the target is a percentage of the request`,
      reason: "FieldValueInvalid",
      fieldPath: `.autoscaling.${count}.${target}`,
    };
  }),
);

const fields = s.object({
  controllers: s
    .int()
    .min(1)
    .max(9)
    .default(3)
    .describe("Number of controllers, which vote. An odd number tolerates as many failures as the next even one."),
  ingestNodes: s.int().min(1).max(500).default(3).describe("Number of ingest nodes, which serve Kafka clients."),
  searchNodes: s
    .int()
    .min(0)
    .max(500)
    .default(0)
    .describe("Number of search nodes. If it is 0, no search objects are created."),
  version: s
    .string()
    .min(1)
    .max(63)
    // The version becomes a label value and an image tag.
    .pattern("^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$")
    .optional()
    .describe("Image tag of the components whose image is not set."),
  paused: s.bool().default(false).describe("If true, the operator changes nothing but the status."),
  storage,
  metastore,
  resources: resources.optional().describe("Requests and limits of the containers."),
  image: image.optional(),
  monitoring: monitoring.default({}),
  network: network.default({}),
  security: security.default({}),
  autoscaling: autoscaling
    .optional()
    .describe("Autoscalers by component. The count of an autoscaled component in the spec is only the initial value."),
  podDisruptionBudget: podDisruptionBudget
    .default({})
    .describe(
      "Default: one controller, updateStrategy.maxUnavailable ingest nodes and one search node may be unavailable.",
    ),
  podAnnotations: podAnnotations.optional(),
  podLabels: podLabels.optional(),
  nodeSelector: nodeSelector.optional(),
  tolerations: tolerations.optional(),
  affinity: affinity.optional(),
  antiAffinity: s
    .enum("preferred", "required", "none")
    .default("preferred")
    .describe("Whether pods of a component avoid nodes with another pod of that component."),
  antiAffinityTopologyKey: s.string().min(1).max(317).default("kubernetes.io/hostname"),
  topologySpreadConstraints: topologySpreadConstraints
    .optional()
    .describe("Default: spread over zones and nodes where possible."),
  priorityClassName: objectName.optional(),
  updateStrategy: updateStrategy.default({}).describe("Settings of restarts of pods."),
  scaleDown: scaleDown.default({}).describe("Settings of the removal of ingest nodes."),
  membership: s
    .enum("Dynamic", "Static")
    .default("Dynamic")
    .describe("Dynamic updates nodes at run time when the number of controllers changes; Static restarts them."),
  tuning: tuning.default({}),
  config: config.optional().describe("Additional configuration keys."),
  env: env.optional().describe("Environment variables of all containers."),
  template: template.optional().describe("Overrides for the pods of single components."),
  deletion: deletion.default({}),
});

export const clusterSpec = targetRules
  .reduce((field, rule) => field.rule(rule), fields)
  .rule({
    rule: "!self.network.hostNetwork || self.antiAffinity == 'required'",
    message: "hostNetwork requires antiAffinity: required, because two pods cannot share the ports of a node",
    reason: "FieldValueInvalid",
    fieldPath: ".antiAffinity",
  })
  .rule({
    rule: "self.updateStrategy.maxUnavailable == 1 || self.updateStrategy.maxUnavailable < self.ingestNodes",
    message: "maxUnavailable must be smaller than ingestNodes",
    reason: "FieldValueInvalid",
    fieldPath: ".updateStrategy.maxUnavailable",
  });
