// KeepUnreadJobs: Jobs are created with a TTL of at least a day, so that none is deleted before its result is recorded. This file
// gives an ended Job the TTL of its spec. It runs after the final status is written and in each reconcile of a finished test, so
// a crash between the two writes only delays the deletion.

import type { DeepReadonly } from "homeostat";
import { ForbiddenError, NotFoundError } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { jobEndOf } from "@homeostat/runtime";
import { annotations } from "../api/names.ts";
import type { TestScope } from "./scope.ts";

/** Gives the ended Jobs of a finished test their own TTL. A Job that still runs gets it when it has ended. */
export async function releaseJobs(scope: TestScope): Promise<void> {
  for (const role of ["worker", "master"] as const) {
    const job = scope.context.owned.jobs.get(scope.nodeName(role));
    const seconds = job === undefined ? undefined : releaseTtl(job);
    if (job !== undefined && seconds !== undefined) await setTtl(scope, job, seconds);
  }
}

/** Returns the TTL to set on an ended Job; undefined if it is already set or the Job has not ended. */
function releaseTtl(job: DeepReadonly<Job>): number | undefined {
  const { annotations: given, deletionTimestamp } = job.metadata;
  const text = given?.[annotations.ttl] ?? "";
  const isEnded = jobEndOf(job) !== undefined && deletionTimestamp === undefined;
  return isEnded && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

async function setTtl(scope: TestScope, { metadata }: DeepReadonly<Job>, seconds: number): Promise<void> {
  const { client, namespace, signal, log } = scope.context;
  const { name = "", uid = "" } = metadata;
  // With the uid, the patch fails if another Job has the name now. Removing the annotation marks the Job as done.
  const merge = {
    metadata: { uid, annotations: { [annotations.ttl]: null } },
    spec: { ttlSecondsAfterFinished: seconds },
  };
  try {
    await client.patch(Job, { namespace, name }, { merge }, { signal });
  } catch (error) {
    if (error instanceof NotFoundError) return;
    if (!(error instanceof ForbiddenError)) throw error;
    log.warn("Failed to set the TTL of a finished Job, keeping it for a day", { job: name, error });
  }
}
