// Fields that decide how many members a cluster has, and how it restarts and removes them.

import { deletionTimeoutSeconds } from "./deletion-policy.ts";
import type { HorizontalPodAutoscalerBehavior } from "@homeostat/kubernetes/autoscaling/v2";
import type { ValidationRule } from "@homeostat/schema";
import { s } from "homeostat";
import { quantity } from "./spec-common.ts";

const percentage = s.int().min(1).max(100).optional();

const customMetric = s
  .object({
    name: s.string().min(1).max(253),
    targetType: s.enum("Utilization", "Value", "AverageValue"),
    targetValue: quantity,
  })
  .rule({
    rule: "self.targetType != 'Utilization'",
    message:
      "custom metrics have no utilization; use AverageValue for a metric of the pods or Value for an external one",
    reason: "FieldValueInvalid",
    fieldPath: ".targetType",
  });

const autoscaler = (replicasMax: number) =>
  s
    .object({
      minReplicas: s.int().min(1).max(replicasMax),
      maxReplicas: s.int().min(1).max(replicasMax),
      targetCpuUtilizationPercentage: percentage.describe("Target of the CPU usage in percent of the request."),
      targetMemoryUtilizationPercentage: percentage.describe("Target of the memory usage in percent of the request."),
      customMetrics: s
        .list(customMetric)
        .mapBy("name")
        .max(8)
        .optional()
        .describe("AverageValue is the average of a metric of the pods, Value the value of an external metric."),
      behavior: s.opaque<HorizontalPodAutoscalerBehavior>().optional().describe("Scaling behavior of the autoscaler."),
    })
    .rule({
      rule: "self.minReplicas <= self.maxReplicas",
      message: "minReplicas must not be greater than maxReplicas",
      reason: "FieldValueInvalid",
      fieldPath: ".minReplicas",
    })
    .rule({
      rule: "has(self.targetCpuUtilizationPercentage) || has(self.targetMemoryUtilizationPercentage) || (has(self.customMetrics) && self.customMetrics.size() > 0)",
      message: "at least one target is required",
      reason: "FieldValueInvalid",
    });

const odd = (bound: "minReplicas" | "maxReplicas"): ValidationRule => ({
  rule: `self.${bound} % 2 == 1`,
  message: "must be odd, because controllers vote",
  reason: "FieldValueInvalid",
  fieldPath: `.${bound}`,
});

export const autoscaling = s.object({
  controllers: autoscaler(9).rule(odd("minReplicas")).rule(odd("maxReplicas")).optional(),
  ingestNodes: autoscaler(500).optional(),
  searchNodes: autoscaler(500).optional(),
});

const countOrPercent = s.intOrString().min(0).maxLength(4).pattern("^(100|[1-9]?[0-9])%$").optional();

export const podDisruptionBudget = s
  .object({
    enabled: s.bool().default(true).describe("If false, no PodDisruptionBudgets are created."),
    minAvailable: countOrPercent.describe("A number of pods or a percentage."),
    maxUnavailable: countOrPercent.describe("A number of pods or a percentage."),
  })
  .rule({
    rule: "!(has(self.minAvailable) && has(self.maxUnavailable))",
    message: "minAvailable and maxUnavailable must not both be set",
    reason: "FieldValueInvalid",
    fieldPath: ".minAvailable",
  });

export const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

export type Weekday = (typeof weekdays)[number];

const maintenanceWindow = s.object({
  days: s
    .list(s.enum(...weekdays))
    .set()
    .min(1)
    .max(7)
    .describe("Days on which the window opens."),
  start: s.string().max(5).pattern("^([01][0-9]|2[0-3]):[0-5][0-9]$").describe("Time of the day, as HH:MM."),
  durationMinutes: s.int().min(15).max(1440),
  timeZone: s.string().min(1).max(64).default("UTC").describe("IANA time zone of days and start."),
});

const canary = s.object({
  controller: s.int().min(0).max(1).default(0).describe("Number of controllers that restart first."),
  ingest: s.int().min(0).max(100).default(1).describe("Number of ingest nodes that restart first."),
  bakeSeconds: s
    .int()
    .min(0)
    .max(86_400)
    .default(600)
    .describe("How long canary pods must stay ready before the other pods restart."),
  maxRestarts: s
    .int()
    .min(0)
    .max(100)
    .default(0)
    .describe("Number of container restarts of a canary pod above which the canary fails."),
});

export const updateStrategy = s.object({
  type: s
    .enum("Rolling", "Manual")
    .default("Rolling")
    .describe("Manual reports outdated pods and never restarts them."),
  maxUnavailable: s
    .int()
    .min(1)
    .max(499)
    .default(1)
    .describe("Number of ingest nodes that may be unavailable. Controllers always restart one by one."),
  restartDelaySeconds: s.int().min(0).max(3600).default(10).describe("Pause between two restarts."),
  minReadySeconds: s
    .int()
    .min(0)
    .max(600)
    .default(10)
    .describe("How long a pod must be ready before it counts as available."),
  progressDeadlineSeconds: s
    .int()
    .min(60)
    .max(7200)
    .default(600)
    .describe("How long a restarted pod may take to become ready before the rollout is reported as failed."),
  quorumCheck: s
    .enum("Auto", "Readiness", "Endpoint")
    .default("Auto")
    .describe(
      "How the quorum is determined: by pod readiness, by the quorum endpoint of the controllers, or by the endpoint if any controller has one.",
    ),
  windows: s
    .list(maintenanceWindow)
    .atomic()
    .max(14)
    .optional()
    .describe("Times at which pods may be restarted. Default: always."),
  canary: canary
    .optional()
    .describe(
      "Restarts a few pods first and observes them. If they fail, the previous pod template is applied again and kept until the spec changes. Configuration files keep their new content.",
    ),
  search: s
    .enum("Rolling", "BlueGreen")
    .default("Rolling")
    .describe("BlueGreen starts a second Deployment of search nodes and then switches all clients to it."),
  rollbackSeconds: s
    .int()
    .min(0)
    .max(86_400)
    .default(600)
    .describe("How long the former search Deployment is kept after a BlueGreen switch."),
});

export const scaleDown = s.object({
  drain: s
    .enum("Auto", "Required", "Skip")
    .default("Auto")
    .describe("Whether ingest nodes move their data to other nodes before they are removed. Auto: if they offer it."),
  timeoutSeconds: s
    .int()
    .min(60)
    .max(86_400)
    .default(600)
    .describe("How long a drain may take before the scale-down is reported as blocked."),
});

export const deletion = s.object({
  protection: s
    .bool()
    .default(false)
    .describe("If true, a cluster that is being deleted keeps running until this field is false."),
  timeoutSeconds: s
    .int()
    .min(30)
    .max(3600)
    .default(deletionTimeoutSeconds)
    .describe("How long members may take to stop in order before everything is deleted."),
});
