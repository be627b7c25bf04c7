// The fields of locust.io/v1, which is deprecated and served through conversion only.

import { s } from "homeostat";

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

const requiredNodeLabels = s.map(s.string()).optional().describe("Labels that a node must have, as key and value.");

export const v1Spec = {
  masterCommandSeed: s.string().describe("Start of the master's command line."),
  workerCommandSeed: s.string().describe("Start of the workers' command line."),
  workerReplicas: s.int().min(1).max(500).default(1).describe("Number of worker pods."),
  image: s.string().describe("Locust image."),
  imagePullPolicy: s.enum("Always", "IfNotPresent", "Never").optional(),
  imagePullSecrets: s.list(s.string()).atomic().optional().describe("Names of Secrets to pull the image with."),
  configMap: s.string().optional().describe("Name of the ConfigMap with the test files."),
  libConfigMap: s.string().optional().describe("Name of the ConfigMap with library files."),
  labels: perRole("Labels").optional(),
  annotations: perRole("Annotations").optional(),
  affinity: s
    .object({
      nodeAffinity: s.object({ requiredDuringSchedulingIgnoredDuringExecution: requiredNodeLabels }).optional(),
    })
    .optional(),
  tolerations: s.list(toleration).atomic().optional(),
};

/**
 * The v2 status, unchecked. On an update through v1 the API server takes the status from the old object in version v1, so a
 * version that cannot hold the status would erase it.
 */
export const v1Status = s.opaque().optional();
