import { formatTime } from "@homeostat/core";
import type { BrokenThreshold, Threshold, ThresholdResult } from "../api/locust-test.ts";
import type { LiveView } from "../live/live-stats.ts";
import { readTime } from "../status/read-time.ts";
import { judge, limitText } from "./thresholds.ts";

/** What is judged while a test runs. */
export interface AbortInput {
  readonly thresholds: readonly Threshold[];
  /** How many workers are missing; undefined when nobody knows. */
  readonly missing: number | undefined;
  readonly view: LiveView | undefined;
  /** What the status remembers: an operator that was restarted goes on counting. */
  readonly broken: readonly BrokenThreshold[];
}

/** Whether a run is to end, and what has to be remembered if not. */
export interface Abort {
  /** The threshold that ends the run now; undefined when none does. */
  readonly hit: ThresholdResult | undefined;
  /** The thresholds that are broken, and since when. */
  readonly broken: readonly BrokenThreshold[];
}

/**
 * Judges the thresholds with `abortOnFail` of a running test (21.4).
 *
 * One that is broken in two snapshots counts as broken between them, also when nobody looked for a while. The time is kept in
 * whole seconds and never too early, so that a run is not ended before its `holdSeconds` are over.
 */
export function checkAborts({ thresholds, missing, view, broken }: AbortInput): Abort {
  const snapshot = view?.snapshot;
  const isRunning = snapshot?.state === "running" || snapshot?.state === "spawning";
  if (snapshot === undefined || !view?.isFresh || view.begunAt === undefined || !isRunning) {
    return { hit: undefined, broken };
  }
  const still: BrokenThreshold[] = [];
  let hit: ThresholdResult | undefined;
  for (const threshold of thresholds) {
    if (!threshold.abortOnFail) continue;
    const result = judge(threshold, snapshot, missing);
    if (result.passed) continue;
    if (threshold.holdSeconds === 0) {
      hit ??= result;
      continue;
    }
    const name = nameOf(threshold);
    const known = broken.find((each) => each.threshold === name);
    const since = readTime(known?.since) ?? Math.ceil(snapshot.at / 1_000) * 1_000;
    if (!still.some((each) => each.threshold === name)) still.push({ threshold: name, since: formatTime(since) });
    if (snapshot.at - since >= threshold.holdSeconds * 1_000) hit ??= result;
  }
  return { hit, broken: still };
}

/** What a threshold is known by, whatever its place in the list. */
function nameOf(threshold: Threshold): string {
  const { metric, name, method } = threshold;
  const row = metric === "missingWorkers" ? undefined : [method, name].filter((part) => part !== undefined).join(" ");
  return `${metric}${row === undefined ? "" : ` of ${row}`}, ${limitText(threshold)}`;
}
