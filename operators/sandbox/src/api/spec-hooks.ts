// Provision hooks and faults of a Sandbox.

import { s } from "homeostat";
import { dnsLabel, objectName } from "./spec-common.ts";
import { httpMethods, pathMatches } from "./spec-http.ts";
import { variableNamePattern } from "./spec-services.ts";

const variable = s.object({
  name: s.string().min(1).max(256).pattern(variableNamePattern).describe("Name of the variable."),
  value: s.string().max(4096).default("").describe("Value of the variable."),
});

const words = s.list(s.string().max(4096)).atomic().max(64);

const hookStep = s.object({
  image: s.string().min(1).max(512).describe("Image of the Job."),
  command: words.optional().describe("Entry point of the container. Default: that of the image."),
  args: words.optional().describe("Arguments of the container. Default: those of the image."),
  env: s.list(variable).mapBy("name").max(64).optional().describe("Environment variables of the container."),
  serviceAccountName: objectName
    .optional()
    .describe(
      "ServiceAccount of the Job. A SandboxPolicy must list it. Default: the default ServiceAccount without a token.",
    ),
});

/** Maximum number of provision hooks of a sandbox. */
export const provisionMax = 8;

/** A Job that runs before the forks, and one that runs when the sandbox is deleted. */
export const provisionHook = s.object({
  name: dnsLabel.describe("Name of the hook, unique in the sandbox."),
  create: hookStep.describe(
    "Job that runs before the forks start. It writes KEY=VALUE lines to its termination message, at most 4096 bytes.",
  ),
  delete: hookStep.optional().describe("Job that runs when the sandbox is deleted."),
  timeoutSeconds: s.int().min(10).max(3600).default(300).describe("Time limit of each Job in seconds."),
  outputs: s
    .list(s.string().min(1).max(253).pattern(variableNamePattern))
    .set()
    .max(32)
    .default([])
    .describe("Keys that the Job must write. Forks use them with valueFrom.provision."),
});

/** Maximum number of faults of a sandbox. */
export const faultsMax = 10;

/** Delays or errors for requests with the key of the sandbox. */
export const fault = s
  .object({
    service: dnsLabel.describe("Service of the baseline whose requests are affected."),
    percent: s.int().min(0).max(100).default(100).describe("Share of the matching requests that are affected."),
    delayMs: s.int().min(1).max(60_000).optional().describe("Delay before the request is forwarded."),
    jitterMs: s.int().min(0).max(60_000).optional().describe("Maximum random addition to the delay."),
    abortCode: s.int().min(400).max(599).optional().describe("HTTP status that the proxy responds with."),
    abortGrpcStatus: s.int().min(1).max(16).optional().describe("gRPC status that the proxy responds with."),
    paths: pathMatches.optional().describe("Paths that are affected. Default: all."),
    methods: httpMethods.optional().describe("HTTP methods that are affected. Default: all."),
  })
  .rule({
    rule: "has(self.delayMs) || has(self.abortCode) || has(self.abortGrpcStatus)",
    messageExpression:
      "'fault of service ' + self.service + ' has no effect; set delayMs, abortCode or abortGrpcStatus'",
    message: "at least one of delayMs, abortCode, abortGrpcStatus must be set",
    reason: "FieldValueRequired",
  })
  .rule({
    rule: "!has(self.jitterMs) || has(self.delayMs)",
    message: "jitterMs needs delayMs",
    reason: "FieldValueInvalid",
    fieldPath: ".jitterMs",
  });
