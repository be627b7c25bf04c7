// A stop is a state machine whose state is `status.stop`, so that an operator that was restarted continues it:
//
//   none -> begin (status.stop is written) -> stop-swarm, wait ... -> end (the Jobs are ended, the phase is Failed)
//
// A test that is still Pending has no load to stop: its objects are deleted immediately (discard).

import { formatTime, tryParseTime } from "@homeostat/core";
import type { Phase, Stop, ThresholdResult } from "../api/locust-test.ts";
import type { LiveView } from "../live/live-view.ts";
import { totalOf } from "../live/snapshot.ts";
import { isFuture } from "../api/status-values.ts";
import { describeBroken } from "./thresholds.ts";

export type StopRequest = Pick<Stop, "trigger" | "reason">;

export interface StopRequestInput {
  readonly annotation?: string | undefined;
  /** The value that the annotation had before this run. It does not apply to this run. */
  readonly ignoredAnnotation?: string | undefined;
  /** A threshold with `abortOnFail` that was broken for its `holdSeconds`. */
  readonly broken?: ThresholdResult | undefined;
  readonly startTime?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly now: number;
}

const reasonLengthMax = 256;

/** Returns the request to stop a run, if there is one: the user's first, then a threshold's, then the deadline's. */
export function stopRequest(input: StopRequestInput): StopRequest | undefined {
  const { annotation = "", ignoredAnnotation, broken, timeoutSeconds } = input;
  const text = annotation.trim();
  if (text !== "" && annotation !== ignoredAnnotation) {
    return { trigger: "Annotation", reason: text.slice(0, reasonLengthMax) };
  }
  if (broken !== undefined) return { trigger: "Threshold", reason: describeBroken(broken) };
  if (deadlineInMs(input) !== 0) return undefined;
  return { trigger: "Deadline", reason: `exceeded timeoutSeconds (${timeoutSeconds} s)` };
}

/** Returns the time until `timeoutSeconds` have elapsed; undefined for a test without a timeout, or one that has not started. */
export function deadlineInMs({
  startTime,
  timeoutSeconds,
  now,
}: Pick<StopRequestInput, "startTime" | "timeoutSeconds" | "now">): number | undefined {
  const since = tryParseTime(startTime);
  if (since === undefined || timeoutSeconds === undefined) return undefined;
  return Math.max(0, since + timeoutSeconds * 1_000 - now);
}

export interface StopInput {
  readonly phase: Phase;
  /** The stop in progress, from the status. */
  readonly stop: Stop | undefined;
  readonly request: StopRequest | undefined;
  /** Undefined when the master does not run or is not polled. */
  readonly view: LiveView | undefined;
  readonly stopTimeoutSeconds: number;
  readonly now: number;
}

export type StopStep =
  | { readonly type: "none" }
  /** Record the stop in the status, then decide again. */
  | { readonly type: "begin"; readonly stop: Stop }
  /** Delete all created objects and finish the test. */
  | { readonly type: "discard"; readonly stop: Stop }
  /** Request the master to stop its users; requeue after the pause or with the next snapshot. */
  | { readonly type: "stop-swarm"; readonly pauseMs: number }
  /** The users are stopping, or their final statistics are missing: requeue after the pause or with the next snapshot. */
  | { readonly type: "wait"; readonly pauseMs: number }
  /** Store the results, end the worker Job and then the master Job, and finish the test. */
  | { readonly type: "end"; readonly isSwarmStopped: boolean };

/** Locust waits up to 60 seconds beyond `--stop-timeout` for its users; the rest is a margin. */
const patienceSeconds = 75;
const pauseMs = 2_000;

export function decideStop(input: StopInput): StopStep {
  const { phase, stop, request, now } = input;
  if (phase === "Succeeded" || phase === "Failed") return { type: "none" };
  if (stop === undefined) {
    if (request === undefined) return { type: "none" };
    const recorded = { requestedAt: formatTime(Math.floor(now / 1_000) * 1_000), ...request };
    return { type: phase === "Pending" ? "discard" : "begin", stop: recorded };
  }
  if (phase === "Pending") return { type: "discard", stop };
  if (stop.swarmStopped === true) return { type: "end", isSwarmStopped: true };
  return decideSwarm(input, stop);
}

function decideSwarm({ view, stopTimeoutSeconds, now }: StopInput, stop: Stop): StopStep {
  // The web API of the master cannot be used (headless, login required, unreachable or no pod): only the Jobs can be ended.
  const isReachable = view?.reason === "Streaming" || view?.reason === "WaitingForMaster";
  if (!isReachable) return { type: "end", isSwarmStopped: false };
  if (view.isFinal || hasNoUsers(view)) return { type: "end", isSwarmStopped: true };
  const since = tryParseTime(stop.requestedAt) ?? now;
  // The API server's clock may have been set back, which must not prolong the wait.
  const isOverdue = isFuture(since, now) || now - since >= (stopTimeoutSeconds + patienceSeconds) * 1_000;
  if (isOverdue) return { type: "end", isSwarmStopped: false };
  const isStopping = ["stopping", "cleanup", "stopped"].includes(view.snapshot?.state ?? "");
  return { type: isStopping ? "wait" : "stop-swarm", pauseMs };
}

/** Reports whether the run never had users. */
function hasNoUsers({ snapshot, startedAt }: LiveView): boolean {
  if (snapshot === undefined || startedAt !== undefined) return false;
  const isRunning = snapshot.state === "spawning" || snapshot.state === "running";
  return !isRunning && (totalOf(snapshot)?.requests ?? 0) === 0;
}
