import { s } from "homeostat";
import {
  affinity,
  env,
  nodeSelector,
  objectName,
  podAnnotations,
  podLabels,
  tolerations,
  topologySpreadConstraints,
} from "./spec-common.ts";

const probe = s.object({
  initialDelaySeconds: s.int().min(0).max(3600).optional(),
  periodSeconds: s.int().min(1).max(3600).optional(),
  timeoutSeconds: s.int().min(1).max(3600).optional(),
  failureThreshold: s.int().min(1).max(10_000).optional(),
});

const words = s.list(s.string().max(4096)).atomic().max(64).optional();

const componentTemplate = s.object({
  labels: podLabels.optional(),
  annotations: podAnnotations.optional(),
  nodeSelector: nodeSelector.optional(),
  tolerations: tolerations.optional(),
  affinity: affinity.optional(),
  topologySpreadConstraints: topologySpreadConstraints.optional(),
  priorityClassName: objectName.optional(),
  env: env.optional(),
  command: words.describe("Replaces the entry point of the image."),
  args: words.describe("Arguments of the entry point."),
  terminationGracePeriodSeconds: s.int().min(1).max(3600).optional(),
  probes: s
    .object({
      tcp: s
        .bool()
        .default(false)
        .describe("If true, probes connect to the main port, for images without a health server."),
      startup: probe.optional(),
      liveness: probe.optional(),
      readiness: probe.optional(),
    })
    .optional(),
});

/** Overrides of the top-level fields for one component: maps are merged by key, lists and objects are replaced. */
export const template = s.object({
  controller: componentTemplate.optional(),
  ingest: componentTemplate.optional(),
  search: componentTemplate.optional(),
});
