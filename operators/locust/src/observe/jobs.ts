import type { DeepReadonly } from "homeostat";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import { jobEndOf, ownerUidOf } from "@homeostat/runtime";
import type { Phase } from "../api/locust-test.ts";
import type { Role } from "../api/names.ts";
import type { ObserveScope } from "./scope.ts";

export type Jobs = Readonly<Record<Role, DeepReadonly<Job> | undefined>>;

/** A Job; its last observed state if it no longer exists. */
export interface ObservedJob {
  readonly isPresent: boolean;
  readonly job: DeepReadonly<Job> | undefined;
}

/**
 * Looks up a Job of this run.
 *
 * If the cache does not have the Job, it is read from the API server: the cache of a process that has just started may be
 * outdated, and treating an existing Job as missing would start a second run.
 */
export async function observeJob(scope: ObserveScope, role: Role): Promise<ObservedJob> {
  const { owned, client, namespace, signal } = scope.context;
  const name = scope.nodeName(role);
  const cached = owned.jobs.get(name);
  if (cached !== undefined) return { isPresent: true, job: cached };
  const live = await client.get(Job, { namespace, name }, { signal });
  if (live !== undefined && ownerUidOf(live) === scope.test.metadata.uid) return { isPresent: true, job: live };
  const last = owned.jobs.lastOf(name);
  const recorded = role === "master" ? scope.status.masterJobUID : scope.status.workerJobUID;
  const isOfThisRun = recorded === undefined || last?.metadata.uid === recorded;
  return { isPresent: false, job: isOfThisRun ? last : undefined };
}

/** Reports whether the master Service exists, with the same care as {@link observeJob}. */
export async function observeService(scope: ObserveScope): Promise<boolean> {
  const { owned, client, namespace, signal } = scope.context;
  const name = scope.nodeName("master");
  if (owned.services.get(name) !== undefined) return true;
  const live = await client.get(Service, { namespace, name }, { signal });
  return live !== undefined && ownerUidOf(live) === scope.test.metadata.uid;
}

/** Returns the phase that the master Job alone implies. */
export function phaseOf(masterJob: DeepReadonly<Job> | undefined): Phase {
  const end = jobEndOf(masterJob);
  if (end !== undefined) return end.type === "Complete" ? "Succeeded" : "Failed";
  return (masterJob?.status?.active ?? 0) > 0 ? "Running" : "Pending";
}

export function isTerminal(phase: Phase | undefined): phase is "Succeeded" | "Failed" {
  return phase === "Succeeded" || phase === "Failed";
}
