// The state of one entry of a sandbox, derived from its fork and the pods of the fork.

import type { DeepReadonly } from "@homeostat/core";
import type { Deployment } from "@homeostat/kubernetes/apps/v1";
import { type PodProblem, rolloutOf } from "@homeostat/runtime";
import type { EntryState } from "../api/sandbox.ts";

/** Input of {@link decideForkState}. */
export interface ForkInput {
  readonly fork: DeepReadonly<Deployment> | undefined;
  /** Replicas that the fork should have now; 0 while it sleeps. */
  readonly replicas: number;
  /** Problems of the pods of the fork, in the order in which they must be resolved. */
  readonly problems: readonly PodProblem[];
}

export interface ForkHealth {
  readonly state: EntryState;
  readonly replicas: number;
  readonly readyReplicas: number;
  /** Reason of a state other than Ready and Idle. */
  readonly message: string | undefined;
  /** True if waiting does not help: the time to become ready has passed, or a container that worked before keeps crashing. */
  readonly isFailed: boolean;
}

/**
 * Decides the state of a fork.
 *
 * `progressDeadlineSeconds` of the fork is the time that it has to become ready, so the Deployment controller measures it: the condition Progressing
 * with the reason ProgressDeadlineExceeded survives restarts of the operator. A Deployment that was complete once does not report an exceeded
 * deadline when its pods crash later; the blocking problems of the pods cover that case.
 */
export function decideForkState({ fork, replicas, problems }: ForkInput): ForkHealth {
  const { ready, isComplete } = rolloutOf(fork, replicas);
  const counts = { replicas, readyReplicas: ready };
  if (fork === undefined)
    return { ...counts, state: "Pending", message: "The fork is not created yet", isFailed: false };
  if (isComplete) return { ...counts, state: replicas === 0 ? "Idle" : "Ready", message: undefined, isFailed: false };
  const [problem] = problems;
  const message = problem?.sentence ?? `${ready} of ${replicas} pods are ready`;
  const isLate = hasExceededDeadline(fork);
  const isBroken = wasComplete(fork) && ready < replicas && problems.some(({ isBlocking }) => isBlocking);
  if (isLate || isBroken) {
    const late = isLate ? `The fork did not become ready in ${deadlineOf(fork)} s: ${message}` : message;
    return { ...counts, state: "Failed", message: late, isFailed: true };
  }
  return { ...counts, state: "Progressing", message, isFailed: false };
}

/** Reports whether the current template, not an earlier one, has exceeded the deadline. */
function hasExceededDeadline({ metadata, status }: DeepReadonly<Deployment>): boolean {
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return false;
  return (status?.conditions ?? []).some(
    ({ type, status: value, reason }) =>
      type === "Progressing" && value === "False" && reason === "ProgressDeadlineExceeded",
  );
}

/** Reports whether the current template has been rolled out once. */
function wasComplete({ status }: DeepReadonly<Deployment>): boolean {
  return (status?.conditions ?? []).some(
    ({ type, reason }) => type === "Progressing" && reason === "NewReplicaSetAvailable",
  );
}

function deadlineOf({ spec }: DeepReadonly<Deployment>): number {
  return spec?.progressDeadlineSeconds ?? 600;
}
