// The fields that the log server of a tenant is asked for with.

import { s } from "@homeostat/schema";
import { componentPlacementFields, componentResources, imageFields } from "./spec-common.ts";

/** How much the server writes to its log. */
export const logLevels = ["debug", "info", "warn", "error"] as const;

const keyReference = s.object({
  name: s.string().max(253).describe("The name of the object, in the tenant's namespace."),
  key: s.string().max(253),
  optional: s.bool().optional().describe("Whether the pod starts without it."),
});

const variable = s.object({
  name: s.string().max(253),
  value: s.string().max(32_768).optional().describe("The value as it is. Either this or valueFrom."),
  valueFrom: s
    .object({ configMapKeyRef: keyReference.optional(), secretKeyRef: keyReference.optional() })
    .optional()
    .describe("One of configMapKeyRef and secretKeyRef."),
});

const securityContext = s.object({
  runAsUser: s.int64().min(1).optional().describe("1001 when left out."),
  runAsGroup: s.int64().min(1).optional().describe("1001 when left out."),
  fsGroup: s.int64().min(1).optional().describe("1001 when left out."),
  runAsNonRoot: s.bool().optional().describe("True when left out."),
  readOnlyRootFilesystem: s.bool().optional().describe("True when left out."),
  allowPrivilegeEscalation: s.bool().optional().describe("False when left out."),
  capabilities: s
    .object({ drop: s.list(s.string().max(64)).set().max(50).optional().describe("ALL when left out.") })
    .optional(),
});

const probe = s.object({
  path: s.string().max(1024).pattern("^/").optional().describe("/health when left out."),
  port: s.int().min(1).max(65_535).optional().describe("3030 when left out."),
  initialDelaySeconds: s.int().min(1).optional(),
  periodSeconds: s.int().min(1).optional(),
  timeoutSeconds: s.int().min(1).optional(),
  successThreshold: s.int().min(1).optional(),
  failureThreshold: s.int().min(1).optional(),
});

/** What a tenant says about its server. */
export const server = s.object({
  replicas: s
    .int()
    .min(1)
    .max(100)
    .rule({ rule: "self >= 1", message: "server replicas must be at least 1" })
    .default(1)
    .describe("The number of pods."),
  ...imageFields,
  image: imageFields.image.describe(
    "When left out: what the operator is configured with, neurallog/server:latest unless told otherwise.",
  ),
  resources: componentResources
    .optional()
    .describe("When left out: cpu from 100m to 500m, memory from 128Mi to 512Mi."),
  env: s.list(variable).mapBy("name").max(100).optional().describe("Variables, after those that the operator sets."),
  logLevel: s
    .enum(...logLevels)
    .optional()
    .describe("info when left out."),
  securityContext: securityContext.optional(),
  probes: s
    .object({
      liveness: probe.optional().describe("When left out: after 15 s every 20 s, 5 s each, 3 failures."),
      readiness: probe.optional().describe("When left out: after 5 s every 10 s, 5 s each, 3 failures."),
      startup: probe.optional().describe("There is none unless it is asked for."),
    })
    .optional(),
  ...componentPlacementFields,
});
