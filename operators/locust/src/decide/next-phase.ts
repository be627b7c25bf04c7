import type { Phase } from "../api/locust-test.ts";
import type { Health } from "./health.ts";
import { isTerminal, type JobEnd } from "../observe/jobs.ts";

/** What the next phase of a running test depends on. */
export interface Situation {
  /** The phase that the master Job stands for: see `phaseOf`. */
  readonly derived: Phase;
  /** How the worker Job has ended, if it has. */
  readonly workerEnd: JobEnd | undefined;
  readonly health: Health;
  /** Why the master failed, if it did. */
  readonly masterCause: string | undefined;
  /** A stop is under way: the Jobs fail because we end them. */
  readonly isStopping: boolean;
  /** The master has ended its run, and what workers do now follows from that. */
  readonly isEnding: boolean;
  /** Single workers may crash: they are replaced, and others are connected. */
  readonly mayLoseWorkers: boolean;
}

/** Where a test goes, and why it failed if it did. */
export interface Transition {
  readonly phase: Phase;
  readonly cause?: string | undefined;
}

/** The phase after Running. The first rule that fits counts. */
export function nextPhase(situation: Situation): Transition {
  const { derived, workerEnd, health, masterCause, isStopping, isEnding, mayLoseWorkers } = situation;
  // R4: what the master Job says at its end is final.
  if (isTerminal(derived)) return derived === "Failed" ? { phase: derived, cause: masterCause } : { phase: derived };
  if (isStopping) return { phase: "Running" };
  // R3: without workers there is no load; the master may wait for ever.
  if (workerEnd?.type === "Failed" && !isEnding) {
    return { phase: "Failed", cause: `Worker Job failed: ${workerEnd.reason}` };
  }
  // R2
  const isCrash = health.reason === "CrashLoopBackOff";
  const isExcused = isCrash && health.isWorkersOnly && (isEnding || mayLoseWorkers);
  if (!health.isHealthy && !isExcused) return { phase: "Failed", cause: health.message };
  // R1: a Job that shows no active pod, or none yet, does not take a test back to Pending.
  return { phase: "Running" };
}
