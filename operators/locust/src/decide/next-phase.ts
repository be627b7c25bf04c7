import { type DeepReadonly } from "homeostat";
import type { ContainerStateTerminated } from "@homeostat/kubernetes/core/v1";
import type { JobEnd } from "@homeostat/runtime";
import type { LocustTestStatus, Phase } from "../api/locust-test.ts";
import { isTerminal } from "../observe/jobs.ts";
import type { Health } from "./health.ts";

export interface NextPhaseInput {
  readonly derived: Phase;
  readonly workerEnd: JobEnd | undefined;
  readonly health: Health;
  readonly masterCause: string | undefined;
  /** True while a stop is in progress: the Jobs then fail because the operator ends them. */
  readonly isStopping: boolean;
  /** True once the master has ended its run: workers then exit. */
  readonly isEnding: boolean;
  /** True if single workers may crash: they are replaced, and others are connected. */
  readonly mayLoseWorkers: boolean;
}

export interface NextPhase {
  readonly phase: Phase;
  readonly cause?: string | undefined;
}

/** Decides the phase after Running. The first rule that applies decides. */
export function nextPhase(input: NextPhaseInput): NextPhase {
  const { derived, workerEnd, health, masterCause, isStopping, isEnding, mayLoseWorkers } = input;
  // MasterJobDecides: the end of the master Job is final.
  if (isTerminal(derived)) return derived === "Failed" ? { phase: derived, cause: masterCause } : { phase: derived };
  if (isStopping) return { phase: "Running" };
  // FailedWorkersFailTheTest: without workers there is no load, and the master may wait for them forever.
  if (workerEnd?.type === "Failed" && !isEnding) {
    return { phase: "Failed", cause: `Worker Job failed: ${workerEnd.reason}` };
  }
  // UnhealthyPodsFailTheTest, unless workers crash that are replaced, or that exit because the run has ended.
  const isWorkerCrash = health.reason === "CrashLoopBackOff" && health.isWorkersOnly;
  const isExcused = isWorkerCrash && (isEnding || mayLoseWorkers);
  if (!health.isHealthy && !isExcused) return { phase: "Failed", cause: health.message };
  // RunningNeverFallsBack: a Job without active pods does not return the test to Pending.
  return { phase: "Running" };
}

/** Reasons that Kubernetes keeps retrying, so that the load may still start. */
const retriedByKubernetes: readonly string[] = ["ConfigurationError", "ImagePullError", "SchedulingError"];

/** StartupFailureIsProvisional: reports whether a test failed only because its pods could not start, and still may. */
export function isProvisional({ phase, conditions = [] }: DeepReadonly<LocustTestStatus>): boolean {
  const pods = conditions.find(({ type }) => type === "PodsHealthy");
  const test = conditions.find(({ type }) => type === "TestCompleted");
  return (
    phase === "Failed" &&
    pods?.status === "False" &&
    retriedByKubernetes.includes(pods.reason) &&
    test?.reason === "TestFailed" &&
    test.message.startsWith(`Test failed: ${pods.reason}: `)
  );
}

/** Meanings of Locust's own exit codes. */
const exitCodes: Readonly<Record<number, string>> = {
  1: "request failures or errors",
  2: "unhandled error in Locust",
};

/** Returns why a master failed: its exit code and what that means; otherwise the reason of the Job. */
export function failureCause(
  exit: DeepReadonly<ContainerStateTerminated> | undefined,
  end: JobEnd | undefined,
): string | undefined {
  if (exit !== undefined && exit.exitCode !== 0) {
    const { exitCode, reason = "" } = exit;
    const meaning = ["", "Error", "Completed"].includes(reason) ? exitCodes[exitCode] : reason;
    return `master exited with code ${exitCode}${meaning === undefined ? "" : ` (${meaning})`}`;
  }
  return end === undefined || end.reason === "" ? undefined : `master Job failed: ${end.reason}`;
}
