import { s } from "homeostat";
import { componentPlacementFields, componentResources, imageFields } from "./spec-common.ts";

const keyReference = s.object({
  name: s.string().max(253).describe("Name of the object in the tenant's namespace."),
  key: s.string().max(253),
  optional: s.bool().optional().describe("If true, the pod may start without the object or the key."),
});

const variable = s.object({
  name: s.string().max(253),
  value: s.string().max(32_768).optional().describe("Literal value. Mutually exclusive with valueFrom."),
  valueFrom: s
    .object({ configMapKeyRef: keyReference.optional(), secretKeyRef: keyReference.optional() })
    .optional()
    .describe("Source of the value: either configMapKeyRef or secretKeyRef."),
});

const securityContext = s.object({
  runAsUser: s.int64().min(1).optional().describe("Default: 1001."),
  runAsGroup: s.int64().min(1).optional().describe("Default: 1001."),
  fsGroup: s.int64().min(1).optional().describe("Default: 1001."),
  runAsNonRoot: s.bool().optional().describe("Default: true."),
  readOnlyRootFilesystem: s.bool().optional().describe("Default: true."),
  allowPrivilegeEscalation: s.bool().optional().describe("Default: false."),
  capabilities: s
    .object({ drop: s.list(s.string().max(64)).set().max(50).optional().describe("Default: ALL.") })
    .optional(),
});

const probe = s.object({
  path: s.string().max(1024).pattern("^/").optional().describe("Default: /health."),
  port: s.int().min(1).max(65_535).optional().describe("Default: 3030."),
  initialDelaySeconds: s.int().min(1).optional(),
  periodSeconds: s.int().min(1).optional(),
  timeoutSeconds: s.int().min(1).optional(),
  successThreshold: s.int().min(1).optional(),
  failureThreshold: s.int().min(1).optional(),
});

export const server = s.object({
  replicas: s
    .int()
    .min(1)
    .max(100)
    .rule({ rule: "self >= 1", message: "server replicas must be at least 1" })
    .default(1)
    .describe("Number of pods."),
  ...imageFields,
  image: imageFields.image.describe("Default: the operator's --default-server-image, neurallog/server:latest."),
  resources: componentResources
    .optional()
    .describe("Default requests: cpu 100m, memory 128Mi. Default limits: cpu 500m, memory 512Mi."),
  env: s.list(variable).mapBy("name").max(100).optional().describe("Additional environment variables."),
  logLevel: s.enum("debug", "info", "warn", "error").optional().describe("Default: info."),
  securityContext: securityContext.optional(),
  probes: s
    .object({
      liveness: probe
        .optional()
        .describe("Default: initial delay 15 s, period 20 s, timeout 5 s, failure threshold 3."),
      readiness: probe
        .optional()
        .describe("Default: initial delay 5 s, period 10 s, timeout 5 s, failure threshold 3."),
      startup: probe.optional().describe("Default: no startup probe."),
    })
    .optional(),
  ...componentPlacementFields,
});
