import { formatTime, isEqual, withoutUndefined, tryParseTime } from "@homeostat/core";
import type { Progress, WorkerStates } from "../api/locust-test.ts";
import type { EffectiveArguments } from "../api/effective-arguments.ts";
import type { LiveView } from "../live/live-view.ts";
import { type Snapshot, totalOf } from "../live/snapshot.ts";
import { formatSeconds, parseSeconds, rounded } from "../api/status-values.ts";

/** Planned users and duration of a run, from the arguments of its master. */
export interface RunPlan {
  /** Undefined if the number is not known, for example because a load shape decides. */
  readonly targetUsers: number | undefined;
  readonly runTimeSeconds: number | undefined;
}

/** Returns the plan of a run. A run with autostart has one user by default. */
export function runPlan(
  { users, runTime, unknown }: Pick<EffectiveArguments, "users" | "runTime" | "unknown">,
  { isAutostart }: { readonly isAutostart: boolean },
): RunPlan {
  const fallback = isAutostart && !unknown.has("users") ? 1 : undefined;
  return { targetUsers: users !== undefined && users > 0 ? users : fallback, runTimeSeconds: runTime };
}

export interface ProgressInput {
  readonly view: LiveView;
  readonly plan: RunPlan;
  /** The progress in the status. The start of the run is derived from it if the operator was restarted. */
  readonly stored?: Progress | undefined;
  readonly isStopping?: boolean | undefined;
}

/** Returns the progress of a run from the newest snapshot; the stored one when there is none. */
export function progressOf({ view, plan, stored, isStopping = false }: ProgressInput): Progress | undefined {
  const { snapshot } = view;
  if (snapshot === undefined) return stored;
  const startedAt = beginning(view.startedAt, stored);
  const hasBegun = startedAt !== undefined || (totalOf(snapshot)?.requests ?? 0) > 0;
  const state = shownState(snapshot, { hasBegun, isStopping });
  const peakUsers = Math.max(view.peakUsers, stored?.peakUsers ?? 0);
  const { targetUsers, runTimeSeconds } = plan;
  return {
    state,
    currentUsers: snapshot.userCount,
    ...(peakUsers > 0 && { peakUsers }),
    // More users than configured: a load shape decides, and its target is unknown.
    ...(targetUsers !== undefined && peakUsers <= targetUsers && { targetUsers }),
    ...(runTimeSeconds !== undefined && { totalDuration: formatSeconds(runTimeSeconds) }),
    // After the end the duration no longer grows.
    ...(state === "stopped" && stored?.state === "stopped"
      ? withoutUndefined({ duration: stored.duration, percent: stored.percent })
      : elapsed(snapshot, { startedAt, runTimeSeconds, state })),
    ...withoutUndefined({
      requestsPerSecond: rounded(snapshot.currentRps ?? snapshot.totalRps),
      failuresPerSecond: rounded(snapshot.currentFailuresPerSecond),
      failPercent: rounded(snapshot.failRatio === undefined ? undefined : snapshot.failRatio * 100),
      p50: rounded(snapshot.currentP50),
      p95: rounded(snapshot.currentP95),
    }),
    lastUpdated: formatTime(wholeSeconds(snapshot.at)),
  };
}

// Locust reports "stopped" until a worker is connected.
function shownState({ state }: Snapshot, { hasBegun, isStopping }: { hasBegun: boolean; isStopping: boolean }): string {
  if (isStopping && state !== "stopped") return "stopping";
  return hasBegun || state === "spawning" || state === "running" ? state : "WaitingForWorkers";
}

/** Returns when the run began. In whole seconds, so that the time derived from the status does not drift with each write. */
function beginning(startedAt: number | undefined, stored: Progress | undefined): number | undefined {
  const seen = startedAt === undefined ? undefined : wholeSeconds(startedAt);
  const seconds = parseSeconds(stored?.duration ?? "");
  const until = tryParseTime(stored?.lastUpdated);
  if (seconds === undefined || until === undefined || stored?.state === "stopped") return seen;
  const recorded = until - seconds * 1_000;
  return seen === undefined ? recorded : Math.min(seen, recorded);
}

function elapsed(
  snapshot: Snapshot,
  {
    startedAt,
    runTimeSeconds,
    state,
  }: { startedAt: number | undefined; runTimeSeconds: number | undefined; state: string },
): Pick<Progress, "duration" | "percent"> {
  if (startedAt === undefined) return runTimeSeconds === undefined ? {} : { percent: 0 };
  // Never negative: the clock may have been set back.
  const passed = Math.max(0, (wholeSeconds(snapshot.at) - startedAt) / 1_000);
  const seconds = runTimeSeconds === undefined || state !== "stopped" ? passed : Math.min(passed, runTimeSeconds);
  if (runTimeSeconds === undefined || runTimeSeconds === 0) return { duration: formatSeconds(seconds) };
  return { duration: formatSeconds(seconds), percent: Math.min(100, Math.floor((seconds / runTimeSeconds) * 100)) };
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

/** The fields of a status that change with every snapshot. */
export interface LiveFields {
  readonly progress?: Progress | undefined;
  readonly workers?: WorkerStates | undefined;
}

export interface ThrottleInput {
  readonly stored: LiveFields;
  readonly next: LiveFields;
  /** The worker count or the condition `LiveStats` changes in the same write, or the snapshot is final. */
  readonly isUrgent: boolean;
}

const writeIntervalMs = 10_000;

/**
 * Returns the live fields to write: the new ones, or the stored ones.
 *
 * Rule ThrottledStatus: a new state is written immediately, numbers at most every ten seconds, and an unchanged snapshot never.
 */
export function throttled({ stored, next, isUrgent }: ThrottleInput): LiveFields {
  if (isEqual(withoutTime(stored), withoutTime(next))) return stored;
  if (isUrgent || stored.progress?.state !== next.progress?.state) return next;
  const last = tryParseTime(stored.progress?.lastUpdated);
  const now = tryParseTime(next.progress?.lastUpdated);
  if (last === undefined || now === undefined) return next;
  // A clock that was set back must not suppress writes.
  return now - last >= writeIntervalMs || now < last ? next : stored;
}

function withoutTime({ progress, workers }: LiveFields): unknown {
  if (progress === undefined) return { workers };
  const { lastUpdated: _, ...rest } = progress;
  return { workers, progress: rest };
}
