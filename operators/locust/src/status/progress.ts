import { formatTime } from "@homeostat/core";
import type { Progress } from "../api/locust-test.ts";
import type { LiveView, Snapshot } from "../live/live-stats.ts";
import { formatSeconds, parseSeconds } from "./duration.ts";
import { readTime } from "./read-time.ts";
import { rounded } from "./rounded.ts";
import { told } from "./told.ts";
import { totalOf } from "../live/rows.ts";

/** What the arguments of a master say about its run; undefined for what they do not say. */
export interface RunPlan {
  /** Undefined also when a load shape decides, or may. */
  readonly targetUsers: number | undefined;
  readonly runTimeSeconds: number | undefined;
}

/** What progress is made of. */
export interface ProgressInput {
  readonly view: LiveView;
  readonly plan: RunPlan;
  /** What the status says now: it knows when the run began if the operator was started since. */
  readonly stored?: Progress | undefined;
  /** Whether the run is being stopped on request. */
  readonly isStopping?: boolean | undefined;
}

/** How far a run is, by the newest snapshot (21.2); what was known before when there is none. */
export function progressOf({ view, plan, stored, isStopping = false }: ProgressInput): Progress | undefined {
  const { snapshot } = view;
  if (snapshot === undefined) return stored;
  const begunAt = beginning(view.begunAt, stored);
  const hasBegun = begunAt !== undefined || (totalOf(snapshot)?.requests ?? 0) > 0;
  const state = shownState(snapshot, { hasBegun, isStopping });
  const peakUsers = Math.max(view.peakUsers, stored?.peakUsers ?? 0);
  const progress: Progress = {
    state,
    currentUsers: snapshot.userCount,
    ...(peakUsers > 0 ? { peakUsers } : {}),
    ...targetOf(plan, peakUsers),
    ...(plan.runTimeSeconds === undefined ? {} : { totalDuration: formatSeconds(plan.runTimeSeconds) }),
    ...elapsed({ snapshot, begunAt, plan, stored, state }),
    ...numbers(snapshot),
    lastUpdated: formatTime(wholeSeconds(snapshot.at)),
  };
  return progress;
}

// More users than were asked for: a load shape decides, and nobody here knows it.
function targetOf({ targetUsers }: RunPlan, peakUsers: number): Pick<Progress, "targetUsers"> {
  return targetUsers === undefined || peakUsers > targetUsers ? {} : { targetUsers };
}

// Locust says "stopped" as long as no worker is connected.
function shownState(snapshot: Snapshot, { hasBegun, isStopping }: { hasBegun: boolean; isStopping: boolean }): string {
  const { state } = snapshot;
  if (isStopping && state !== "stopped") return "stopping";
  return hasBegun || state === "spawning" || state === "running" ? state : "WaitingForWorkers";
}

/** All in whole seconds, so that the beginning which the status tells is the same after any number of writes. */
function beginning(begunAt: number | undefined, stored: Progress | undefined): number | undefined {
  const seen = begunAt === undefined ? undefined : wholeSeconds(begunAt);
  const seconds = stored?.duration === undefined ? undefined : parseSeconds(stored.duration);
  const until = readTime(stored?.lastUpdated);
  if (seconds === undefined || until === undefined || stored?.state === "stopped") return seen;
  const told = until - seconds * 1_000;
  return seen === undefined ? told : Math.min(seen, told);
}

function elapsed({
  snapshot,
  begunAt,
  plan: { runTimeSeconds },
  stored,
  state,
}: {
  snapshot: Snapshot;
  begunAt: number | undefined;
  plan: RunPlan;
  stored: Progress | undefined;
  state: string;
}): Pick<Progress, "duration" | "percent"> {
  // The run is over: the time that goes on is not its own.
  if (state === "stopped" && stored?.state === "stopped") {
    const { duration, percent } = stored;
    return { ...(duration === undefined ? {} : { duration }), ...(percent === undefined ? {} : { percent }) };
  }
  if (begunAt === undefined) return runTimeSeconds === undefined ? {} : { percent: 0 };
  // The clock of this machine may have been set back.
  const passed = Math.max(0, (wholeSeconds(snapshot.at) - begunAt) / 1_000);
  const seconds = runTimeSeconds === undefined || state !== "stopped" ? passed : Math.min(passed, runTimeSeconds);
  if (runTimeSeconds === undefined || runTimeSeconds === 0) return { duration: formatSeconds(seconds) };
  return { duration: formatSeconds(seconds), percent: Math.min(100, Math.floor((seconds / runTimeSeconds) * 100)) };
}

function numbers(snapshot: Snapshot): Partial<Progress> {
  const read = {
    requestsPerSecond: rounded(snapshot.currentRps ?? snapshot.totalRps),
    failuresPerSecond: rounded(snapshot.currentFailuresPerSecond),
    failPercent: snapshot.failRatio === undefined ? undefined : rounded(snapshot.failRatio * 100),
    p50: rounded(snapshot.currentP50),
    p95: rounded(snapshot.currentP95),
  };
  return told(read);
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}
