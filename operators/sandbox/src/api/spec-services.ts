// Entries of `spec.services` of a Sandbox: the changed workloads and their changes.

import * as core from "@homeostat/kubernetes/core/v1/schemas";
import { s } from "homeostat";
import { dnsLabel, targetRef, unavailableModes } from "./spec-common.ts";

export const entryModes = ["Fork", "Local", "Virtual"] as const;

/** Maximum number of entries of a sandbox. */
export const entriesMax = 20;

/** Maximum number of patches of an entry, and their size in total as JSON. */
export const patchesMax = 8;
export const patchBytesMax = 64 * 1024;

export const variableNamePattern = "^[A-Za-z_][-._A-Za-z0-9]*$";

const envSource = s
  .embedded(core.envVarSource)
  .extend({
    provision: s
      .object({
        name: dnsLabel.describe("Name of an element of spec.provision."),
        key: s.string().min(1).max(253).pattern(variableNamePattern).describe("Name of one of its outputs."),
      })
      .optional()
      .describe("Takes the value from the outputs of a provision hook."),
    fork: s
      .object({
        name: dnsLabel.describe("Name of another entry of spec.services."),
        expression: s
          .enum("host", "host:port")
          .describe("Part of the address of that fork: its host name, or host name and port."),
      })
      .optional()
      .describe("Takes the value from the address of another fork of this sandbox."),
  })
  .rule({
    rule: "[has(self.configMapKeyRef), has(self.fieldRef), has(self.fileKeyRef), has(self.resourceFieldRef), has(self.secretKeyRef), has(self.provision), has(self.fork)].filter(given, given).size() == 1",
    message:
      "exactly one of configMapKeyRef, fieldRef, fileKeyRef, resourceFieldRef, secretKeyRef, provision, fork must be set",
    reason: "FieldValueInvalid",
  });

/** Changes of one environment variable. */
export const envChange = s
  .object({
    name: s.string().min(1).max(256).pattern(variableNamePattern).describe("Name of the variable."),
    value: s.string().max(32_768).optional().describe("Value of the variable. Mutually exclusive with valueFrom."),
    valueFrom: envSource.optional().describe("Source of the value. Mutually exclusive with value."),
    operation: s
      .enum("Upsert", "Delete")
      .default("Upsert")
      .describe("Upsert sets the variable, Delete removes it from the baseline's list."),
  })
  .rule({
    rule: "!(has(self.value) && has(self.valueFrom))",
    messageExpression: "'variable ' + self.name + ' has both value and valueFrom; remove one of them'",
    message: "value and valueFrom must not both be set",
    reason: "FieldValueInvalid",
    fieldPath: ".valueFrom",
  })
  .rule({
    rule: "self.operation != 'Delete' || !(has(self.value) || has(self.valueFrom))",
    messageExpression: "'variable ' + self.name + ' is deleted; remove its value and valueFrom'",
    message: "Delete takes neither value nor valueFrom",
    reason: "FieldValueInvalid",
    fieldPath: ".operation",
  });

const words = s.list(s.string().max(4096)).atomic().max(64);

const containerChange = s.object({
  name: dnsLabel.describe("Name of a container or init container of the baseline's pod template."),
  image: s.string().min(1).max(512).optional().describe("Image of the container. Default: that of the baseline."),
  imagePullPolicy: s.enum("Always", "IfNotPresent", "Never").optional().describe("Default: that of the baseline."),
  command: words.optional().describe("Replaces the entry point. Default: that of the baseline."),
  args: words.optional().describe("Replaces the arguments. Default: those of the baseline."),
  env: s
    .list(envChange)
    .mapBy("name")
    .max(64)
    .optional()
    .describe("Changes to environment variables, applied in order to the variables of the baseline."),
  resources: s
    .embedded(core.resourceRequirements)
    .optional()
    .describe("Replaces the compute resources. Default: those of the baseline."),
});

const patch = s.object({
  type: s
    .enum("Strategic", "Merge", "JSON")
    .default("Strategic")
    .describe("Strategic merge patch, JSON merge patch (RFC 7386) or JSON patch (RFC 6902)."),
  value: s
    .json()
    .describe("The patch, applied to the whole workload object: an object, or a list of operations for the type JSON."),
});

/** One entry of `spec.services`. */
export const serviceEntry = s
  .object({
    name: dnsLabel.describe("Name of the entry, unique in the sandbox."),
    mode: s
      .enum(...entryModes)
      .default("Fork")
      .describe(
        "Fork runs a changed copy of the workload. Local is served by a LocalWorkload. Virtual routes to the baseline through the proxy, for recording and faults.",
      ),
    targetRef: targetRef.describe("The workload of the baseline."),
    serviceNames: s
      .list(dnsLabel)
      .set()
      .max(20)
      .optional()
      .describe(
        "Services whose requests are routed. Each must exist and select the workload. Default: all Services that select it.",
      ),
    containers: s
      .list(containerChange)
      .mapBy("name")
      .max(20)
      .optional()
      .describe("Changes to containers. Only with the mode Fork."),
    patches: s
      .list(patch)
      .atomic()
      .max(patchesMax)
      .optional()
      .describe(
        "Patches of the workload, applied in order after the changes to containers; 64 KiB in total. Only with the mode Fork.",
      ),
    replicas: s
      .int()
      .min(0)
      .max(5)
      .optional()
      .describe("Number of pods of the fork. Default: 1. Only with the mode Fork."),
    readyTimeoutSeconds: s
      .int()
      .min(10)
      .max(1800)
      .default(180)
      .describe("Seconds within which the fork must become ready; after that it is reported as failed."),
    onUnavailable: s
      .enum(...unavailableModes)
      .default("Fail")
      .describe(
        "Handling of requests while this workload has no ready target: Baseline sends them to the baseline, Fail responds with 503, Hold waits until a target is ready.",
      ),
    driftPolicy: s
      .enum("Follow", "Pin", "Notify")
      .default("Follow")
      .describe(
        "Reaction to a change of the baseline: Follow derives the fork again, Pin keeps it, Notify reports the change and waits for the rebase annotation.",
      ),
    preserveLabels: s
      .list(s.string().min(1).max(253))
      .atomic()
      .max(16)
      .default([])
      .describe(
        "Regular expressions (RE2) for keys of pod labels of the baseline that the fork keeps. Each must match the whole key. All other labels are removed.",
      ),
    volumes: s
      .enum("Share", "Ephemeral")
      .default("Share")
      .describe("Share mounts the volume claims of the baseline. Ephemeral replaces each claim with an empty volume."),
  })
  .rule({
    rule: "self.mode == 'Fork' || (!(has(self.containers) && self.containers.size() > 0) && !(has(self.patches) && self.patches.size() > 0) && !has(self.replicas))",
    messageExpression:
      "'entry ' + self.name + ' has the mode ' + self.mode + ', which starts no pods; remove containers, patches and replicas, or use the mode Fork'",
    message: "containers, patches and replicas can be set only with the mode Fork",
    reason: "FieldValueForbidden",
    fieldPath: ".mode",
  });
