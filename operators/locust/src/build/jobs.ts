import type { DeepReadonly } from "@homeostat/core";
import type { Job, JobSpec, PodFailurePolicy } from "@homeostat/kubernetes/batch/v1";
import type { Role } from "../api/identity.ts";
import { nodeName } from "../api/names.ts";
import { type Made, metadataFor, nameOf, type Plan } from "./objects.ts";
import { podTemplate } from "./pod-template.ts";

/** How much longer than the test itself its Jobs may take: a net, for when nobody is there to end it. */
const deadlineMarginSeconds = 300;

/** The Job of the master: one pod, which is never tried twice. */
export function masterJob(plan: Plan): Made<Job> {
  return job(plan, "master", { parallelism: 1, backoffLimit: 0 });
}

/** The Job of the workers. It has no completions, so that its parallelism is the number of workers. */
export function workerJob(plan: Plan): Made<Job> {
  const { replicas, backoffLimit, ignoreDisruptions } = plan.test.spec.worker;
  return job(plan, "worker", {
    parallelism: replicas,
    backoffLimit,
    ...(ignoreDisruptions && { podFailurePolicy: withoutDisruptions }),
  });
}

/** Pods that are drained or evicted are replaced and do not count as failed. */
const withoutDisruptions: DeepReadonly<PodFailurePolicy> = {
  rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
};

function job(plan: Plan, role: Role, spec: Omit<DeepReadonly<JobSpec>, "template">): Made<Job> {
  const { test, config } = plan;
  const { timeoutSeconds, ttlSecondsAfterFinished = config.jobTtlSeconds } = test.spec;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: metadataFor(plan, { name: nodeName(nameOf(test), role), role }),
    spec: {
      ...spec,
      ...(timeoutSeconds !== undefined && { activeDeadlineSeconds: timeoutSeconds + deadlineMarginSeconds }),
      ...(ttlSecondsAfterFinished !== undefined && { ttlSecondsAfterFinished }),
      template: podTemplate(plan, role),
    },
  };
}
