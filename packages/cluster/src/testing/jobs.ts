// Builders of Jobs and pods for the tests of their controller.

import { asStored, type Stored } from "@homeostat/core";
import type { Job, JobSpec, JobStatus } from "@homeostat/kubernetes/batch/v1";
import type { Pod, PodStatus } from "@homeostat/kubernetes/core/v1";
import { indexAnnotation, type StoredJob, trackingFinalizer } from "../controllers/job/job.ts";

/** Current time in these tests, in milliseconds since the epoch. */
export const now: number = Date.UTC(2026, 0, 1, 12, 0, 0);

export function job(spec: Partial<JobSpec> = {}, status: JobStatus = {}): StoredJob {
  const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "work", image: "x" }] } };
  const whole: Job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "work", namespace: "default", uid: "job", resourceVersion: "1" },
    spec: { parallelism: 1, completions: 1, backoffLimit: 6, template, ...spec },
    status,
  };
  return asStored(whole);
}

/** Options of {@link pod}. */
export interface PodOptions {
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly index?: number;
  readonly isTracked?: boolean;
  readonly isBeingDeleted?: boolean;
  readonly annotations?: Record<string, string>;
  readonly exitCode?: number;
  /** Seconds before now at which it finished. */
  readonly endedAgo?: number;
}

export function pod(uid: string, options: PodOptions = {}): Stored<Pod> {
  const { phase = "Running", index, isTracked = true, isBeingDeleted = false, exitCode = 1, endedAgo = 0 } = options;
  const finishedAt = new Date(now - endedAgo * 1000).toISOString().replace(".000", "");
  const isTerminal = phase === "Succeeded" || phase === "Failed";
  const status: PodStatus = {
    phase,
    conditions: [{ type: "Ready", status: phase === "Running" ? "True" : "False" }],
    ...(isTerminal
      ? {
          containerStatuses: [
            {
              name: "work",
              image: "x",
              imageID: "",
              ready: false,
              restartCount: 0,
              state: { terminated: { exitCode: phase === "Failed" ? exitCode : 0, finishedAt } },
            },
          ],
        }
      : {}),
  };
  return asStored<Pod>({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `work-${uid}`,
      namespace: "default",
      uid,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T11:00:00Z",
      ...(isTracked ? { finalizers: [trackingFinalizer] } : {}),
      ...(isBeingDeleted ? { deletionTimestamp: "2026-01-01T12:00:30Z" } : {}),
      annotations: { ...options.annotations, ...(index === undefined ? {} : { [indexAnnotation]: String(index) }) },
    },
    spec: { containers: [{ name: "work", image: "x" }] },
    status,
  });
}
