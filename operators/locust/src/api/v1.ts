// The fields of locust.io/v1, which is deprecated and only served through conversion.

import { s } from "@homeostat/schema";

const perRole = (what: string) =>
  s.object({
    master: s.map(s.string()).optional().describe(`${what} of the master pod.`),
    worker: s.map(s.string()).optional().describe(`${what} of the worker pods.`),
  });

const toleration = s.object({
  key: s.string(),
  operator: s.enum("Exists", "Equal"),
  value: s.string().optional(),
  effect: s.enum("NoSchedule", "PreferNoSchedule", "NoExecute"),
});

const affinity = s.object({
  nodeAffinity: s
    .object({
      requiredDuringSchedulingIgnoredDuringExecution: s
        .map(s.string())
        .optional()
        .describe("Labels that a node must have, as key and value."),
    })
    .optional(),
});

/** The spec of a v1 test. */
export const v1Spec = {
  masterCommandSeed: s.string().describe("The beginning of the master's command line."),
  workerCommandSeed: s.string().describe("The beginning of the workers' command line."),
  workerReplicas: s.int().min(1).max(500).default(1).describe("The number of workers."),
  image: s.string().describe("The Locust image."),
  imagePullPolicy: s.enum("Always", "IfNotPresent", "Never").optional(),
  imagePullSecrets: s.list(s.string()).atomic().optional().describe("The names of Secrets to pull the image with."),
  configMap: s.string().optional().describe("The ConfigMap with the files of the test."),
  libConfigMap: s.string().optional().describe("The ConfigMap with library files."),
  labels: perRole("Labels").optional(),
  annotations: perRole("Annotations").optional(),
  affinity: affinity.optional(),
  tolerations: s.list(toleration).atomic().optional(),
};

/**
 * The status of a v1 test: that of v2, unchecked.
 *
 * An API server restores the status from the old object in the request's version, so a version that cannot hold it
 * would erase it.
 */
export const v1Status = s.opaque().optional();
