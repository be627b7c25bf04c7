import { formatTime } from "@homeostat/core";
import type { Phase, Stop, StopTrigger } from "../api/locust-test.ts";
import type { LiveView } from "../live/live-stats.ts";
import { readTime } from "../status/read-time.ts";
import { totalOf } from "../live/rows.ts";

// A stop is a small state machine whose memory is `status.stop`, so that an operator that was restarted goes on with it:
//
//   nothing -> begin (status.stop is written) -> stop-swarm, wait ... -> end (Jobs are ended, the phase is Failed)

/** Why a run is to end, when it is. */
export interface StopWish {
  readonly trigger: StopTrigger;
  readonly reason: string;
}

/** What the decision about a stop is made of. */
export interface StopInput {
  readonly phase: Phase;
  /** What the status remembers. */
  readonly stop: Stop | undefined;
  /** That somebody wants an end; undefined when nobody does. */
  readonly wish: StopWish | undefined;
  /** What is known of the master; undefined when it is not up or is not followed. */
  readonly view: LiveView | undefined;
  /** The effective `--stop-timeout`. */
  readonly stopTimeoutSeconds: number;
  readonly now: number;
}

/** The next step of a stop. */
export type StopStep =
  /** Nobody wants a stop, or the test is over. */
  | { readonly type: "nothing" }
  /** Remember it in the status, say `StopRequested`, and ask again. */
  | { readonly type: "begin"; readonly stop: Stop }
  /** Nothing runs yet: delete what was made; the test is over at once. */
  | { readonly type: "discard"; readonly stop: Stop }
  /** Ask the master to stop its users, then look again after the pause or with the next snapshot. */
  | { readonly type: "stop-swarm"; readonly pauseMs: number }
  /** The users are on their way out, or their last numbers are: look again after the pause or with the next snapshot. */
  | { readonly type: "wait"; readonly pauseMs: number }
  /** Keep the numbers there are, end the worker Job and then the master Job; the test is over. */
  | { readonly type: "end"; readonly isSwarmStopped: boolean };

/** How long Locust itself waits for its users beyond `--stop-timeout`, and a little. */
const patienceSeconds = 75;
const pauseMs = 2_000;

/** Decides the next step of a stop (21.5). */
export function decideStop(input: StopInput): StopStep {
  const { phase, stop, wish, now } = input;
  if (phase === "Succeeded" || phase === "Failed") return { type: "nothing" };
  if (stop === undefined) {
    if (wish === undefined) return { type: "nothing" };
    const begun = { requestedAt: formatTime(Math.floor(now / 1_000) * 1_000), ...wish };
    return { type: phase === "Pending" ? "discard" : "begin", stop: begun };
  }
  if (phase === "Pending") return { type: "discard", stop };
  if (stop.swarmStopped === true) return { type: "end", isSwarmStopped: true };
  return atWork(input, stop);
}

function atWork({ view, stopTimeoutSeconds, now }: StopInput, stop: Stop): StopStep {
  // Headless, behind a login, out of reach or gone: only its Jobs can be ended.
  if (view === undefined || !canBeAsked(view)) return { type: "end", isSwarmStopped: false };
  if (view.isFinal || isIdle(view)) return { type: "end", isSwarmStopped: true };
  const since = readTime(stop.requestedAt) ?? now;
  // A clock that was set back must not make the wait a long one.
  const isTooLong = now < since || now - since >= (stopTimeoutSeconds + patienceSeconds) * 1_000;
  if (isTooLong) return { type: "end", isSwarmStopped: false };
  const state = view.snapshot?.state;
  const isLeaving = state === "stopping" || state === "cleanup" || state === "stopped";
  return { type: isLeaving ? "wait" : "stop-swarm", pauseMs };
}

/** Whether there is nothing to stop: the users never came. */
function isIdle({ snapshot, begunAt }: LiveView): boolean {
  if (snapshot === undefined || begunAt !== undefined) return false;
  const hasRun = snapshot.state === "spawning" || snapshot.state === "running";
  return !hasRun && (totalOf(snapshot)?.requests ?? 0) === 0;
}

function canBeAsked({ reason }: LiveView): boolean {
  return reason === "Streaming" || reason === "WaitingForMaster";
}
