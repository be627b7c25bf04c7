import type { DeepReadonly } from "homeostat";
import type { Job, JobSpec, PodFailurePolicy } from "@homeostat/kubernetes/batch/v1";
import type { PodSpec, PodTemplateSpec } from "@homeostat/kubernetes/core/v1";
import type { Test } from "../api/locust-test.ts";
import { annotations, labels, nodeName, type Role } from "../api/names.ts";
import { exporterContainer, hasExporter, locustContainer } from "./containers.ts";
import { effectiveArguments } from "../api/effective-arguments.ts";
import { type BuildInput, type Desired, metadataFor, nameOf, ownLabels } from "./objects.ts";
import { defaultPodSecurity } from "./security.ts";
import { volumesFor } from "./volumes.ts";

/** Seconds that the Jobs' deadline is later than the test's. It ends the pods if no operator runs to stop them. */
const deadlineMarginSeconds = 300;

/**
 * The shortest TTL that Jobs are created with: one day.
 *
 * With a shorter TTL, the TTL controller could delete a finished Job before the operator has read its result. The operator
 * sets the TTL of the spec once the result is recorded (reconcile/release.ts). If no operator runs, the Job is deleted after
 * a day.
 */
export const unreadTtlSecondsMin = 86_400;

/** Builds the Job of the master: one pod that is never retried. */
export function masterJob(input: BuildInput): Desired<Job> {
  return job(input, "master", { parallelism: 1, backoffLimit: 0 });
}

/** Builds the Job of the workers. It has no completions, so parallelism is the number of workers. */
export function workerJob(input: BuildInput): Desired<Job> {
  const { replicas, backoffLimit, ignoreDisruptions } = input.test.spec.worker;
  return job(input, "worker", {
    parallelism: replicas,
    backoffLimit,
    ...(ignoreDisruptions && { podFailurePolicy: ignoringDisruptions }),
  });
}

const ignoringDisruptions: DeepReadonly<PodFailurePolicy> = {
  rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
};

function job(input: BuildInput, role: Role, spec: Omit<DeepReadonly<JobSpec>, "template">): Desired<Job> {
  const { test, settings } = input;
  const { timeoutSeconds, ttlSecondsAfterFinished = settings.jobTtlSeconds } = test.spec;
  const ttl = ttlSecondsAfterFinished;
  const isRaised = ttl !== undefined && ttl < unreadTtlSecondsMin;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: metadataFor(input, {
      name: nodeName(nameOf(test), role),
      role,
      ...(isRaised && { annotations: { [annotations.ttl]: String(ttl) } }),
    }),
    spec: {
      ...spec,
      ...(timeoutSeconds !== undefined && { activeDeadlineSeconds: timeoutSeconds + deadlineMarginSeconds }),
      ...(ttl !== undefined && { ttlSecondsAfterFinished: Math.max(ttl, unreadTtlSecondsMin) }),
      template: podTemplate(input, role),
    },
  };
}

function podTemplate(input: BuildInput, role: Role): DeepReadonly<PodTemplateSpec> {
  const { test, settings } = input;
  const { spec } = test;
  const locust = locustContainer(input, role);
  const isExported = role === "master" && hasExporter(spec, effectiveArguments(locust));
  const podAnnotations = { ...(isExported && scrapeAnnotations(settings.exporter.port)), ...spec[role].annotations };
  const volumes = volumesFor(test, role);
  return {
    metadata: {
      labels: podLabels(test, role),
      ...(Object.keys(podAnnotations).length > 0 && { annotations: podAnnotations }),
    },
    spec: {
      restartPolicy: "Never",
      ...((spec.imagePullSecrets ?? []).length > 0 && { imagePullSecrets: spec.imagePullSecrets ?? [] }),
      ...(isExported && { initContainers: [exporterContainer(settings, locust)] }),
      containers: [locust],
      ...(volumes.length > 0 && { volumes }),
      ...placement(input),
      ...(!settings.security.mountServiceAccountToken && { automountServiceAccountToken: false }),
      securityContext: spec.security?.podSecurityContext ?? defaultPodSecurity(settings),
    },
  };
}

/** Returns the labels of pods. The user's override the operator's, except the two by which the operator and the Service select pods. */
function podLabels(test: Test, role: Role): Record<string, string> {
  const own = ownLabels(test, role);
  return {
    ...own,
    ...test.spec[role].labels,
    [labels.podName]: own[labels.podName] ?? "",
    [labels.managedBy]: own[labels.managedBy] ?? "",
  };
}

function scrapeAnnotations(port: number): Record<string, string> {
  return {
    "prometheus.io/scrape": "true",
    "prometheus.io/path": "/metrics",
    "prometheus.io/port": String(port),
  };
}

function placement({ test, settings }: BuildInput): Partial<DeepReadonly<PodSpec>> {
  const { affinity, tolerations = [], nodeSelector = {}, runtimeClassName } = test.spec.scheduling ?? {};
  // An empty string means no runtime class, even if the operator has a default.
  const runtimeClass = runtimeClassName ?? settings.defaultRuntimeClassName ?? "";
  return {
    ...(settings.affinityInjection && affinity !== undefined && { affinity }),
    ...(settings.tolerationsInjection && tolerations.length > 0 && { tolerations }),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(runtimeClass !== "" && { runtimeClassName: runtimeClass }),
  };
}
