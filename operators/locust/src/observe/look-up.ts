import { type DeepReadonly, type Stored } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import { ownerUidOf } from "@homeostat/runtime";
import type { Role } from "../api/identity.ts";
import { isDrifted } from "../status/drift.ts";
import type { Found, LookedUp } from "../decide/missing.ts";
import type { Pass } from "../reconcile/scope.ts";

/**
 * Looks up the Service and the two Jobs of a running test.
 *
 * What the cache does not have is asked of the server: the cache of a process that has just begun may be behind, and nothing
 * may be taken for missing that is there. An error is an error, and never an absence.
 */
export async function lookUp(pass: Pass): Promise<Found> {
  const hasService = await findService(pass);
  const masterJob = await findJob(pass, "master");
  const workerJob = await findJob(pass, "worker");
  const started = pass.startedGeneration;
  return {
    hasService,
    masterJob,
    workerJob,
    hasTtl: pass.ttlSeconds !== undefined,
    isDrifted: isDrifted(pass.generation, started),
  };
}

async function findService(pass: Pass): Promise<boolean> {
  const { owned, client, namespace, signal } = pass.context;
  const name = pass.nodeName("master");
  if (owned.services.get(name) !== undefined) return true;
  const live = await client.get(Service, { namespace, name }, { signal });
  return live !== undefined && ownerUidOf(live) === pass.test.metadata.uid;
}

async function findJob(pass: Pass, role: Role): Promise<LookedUp> {
  const { owned, client, namespace, signal } = pass.context;
  const name = pass.nodeName(role);
  const cached = owned.jobs.get(name);
  if (cached !== undefined) return { is: "there", job: cached };
  const live = await client.get(Job, { namespace, name }, { signal });
  if (live !== undefined && ownerUidOf(live) === pass.test.metadata.uid) return { is: "there", job: live };
  return { is: "gone", last: lastOf(pass, role) };
}

/** How the Job of this run was before it went; one of an earlier run tells nothing. */
function lastOf(pass: Pass, role: Role): DeepReadonly<Job> | undefined {
  const last: Stored<Job> | undefined = pass.context.owned.jobs.lastOf(pass.nodeName(role));
  const recorded = role === "master" ? pass.status.masterJobUID : pass.status.workerJobUID;
  return last !== undefined && (recorded === undefined || last.metadata.uid === recorded) ? last : undefined;
}
