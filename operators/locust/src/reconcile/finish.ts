import type { DeepReadonly } from "homeostat";
import { AlreadyExistsError, ForbiddenError, parseTime } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import type { Result, ThresholdResult } from "../api/locust-test.ts";
import { resultsConfigMap } from "../build/results.ts";
import { evaluateThreshold } from "../decide/thresholds.ts";
import type { LiveView } from "../live/live-view.ts";
import type { Snapshot } from "../live/snapshot.ts";
import { observedMissing } from "../observe/live.ts";
import { driftStatus, type End, endedStatus } from "../status/plans.ts";
import { resultOf } from "../status/result.ts";
import { events } from "./events.ts";
import { releaseJobs } from "./release.ts";
import type { Next, TestScope } from "./scope.ts";

/** Ends a run: writes its final status, then reports it. Only another run can follow. */
export async function finish(scope: TestScope, end: End): Promise<Next> {
  const { status, context, now } = scope;
  const result = currentResult(scope, end);
  scope.setStatus(driftStatus(scope.generation, scope.startedGeneration));
  scope.setStatus(endedStatus(end, { result, now }));
  await scope.save("update status from Jobs");
  if (status.stop !== undefined) scope.event(events.testStopped(result));
  scope.event(end.phase === "Failed" ? events.testFailed(end.cause) : events.testCompleted);
  context.log.info("Phase transition", { from: status.phase, to: end.phase, locustTest: context.name });
  // Never negative: the clock may have been set back.
  const seconds = status.startTime === undefined ? 0 : Math.max(0, (now - parseTime(status.startTime)) / 1_000);
  scope.metrics.observeEnd(context.namespace, result.outcome, seconds);
  scope.live.forget(context.key);
  await releaseJobs(scope);
  return undefined;
}

/** Evaluates the thresholds with the newest statistics; without any, returns the stored results. */
export function evaluateThresholds(
  scope: TestScope,
  view: LiveView | undefined,
): readonly ThresholdResult[] | undefined {
  const { thresholds = [] } = scope.test.spec;
  if (thresholds.length === 0) return undefined;
  if (view?.snapshot === undefined) return scope.status.result?.thresholds;
  const { snapshot } = view;
  const missing = observedMissing(scope, view);
  return thresholds.map((threshold) => evaluateThreshold(threshold, snapshot, missing));
}

function currentResult(scope: TestScope, end: Pick<End, "outcome" | "masterExitCode">): DeepReadonly<Result> {
  const view = scope.live.view(scope.context.key);
  const { result, progress } = scope.status;
  return resultOf({
    ...end,
    snapshot: view?.snapshot,
    isFinal: view?.isFinal ?? false,
    // The status has the peak that an earlier process observed.
    peakUsers: Math.max(view?.peakUsers ?? 0, progress?.peakUsers ?? 0),
    thresholds: evaluateThresholds(scope, view),
    stored: result,
  });
}

/**
 * Writes the statistics of an ended run, once: to the status, and to a ConfigMap if the spec requests one.
 *
 * From then on the statistics do not depend on the master, this process or the Jobs.
 */
export async function keepResults(scope: TestScope, view: LiveView | undefined): Promise<void> {
  const { result } = scope.status;
  if (view?.snapshot === undefined || result?.final === true) return;
  if (result !== undefined && !view.isFinal) return;
  const kept = currentResult(scope, { outcome: result?.outcome ?? "Unknown" });
  const configMap = await storeResults(scope, view.snapshot);
  scope.setStatus({ fields: { result: { ...kept, ...(configMap !== undefined && { resultsConfigMap: configMap }) } } });
  await scope.save("update status from Jobs");
}

/** Creates the results ConfigMap and returns its name. A missing permission is logged and does not change the outcome. */
async function storeResults(scope: TestScope, snapshot: Snapshot): Promise<string | undefined> {
  if (scope.test.spec.results?.store !== "ConfigMap") return undefined;
  const { client, key, signal, log } = scope.context;
  const files = await scope.live.files(key, signal);
  const points = scope.live.series.points(scope.test.metadata.uid, scope.run) ?? [];
  const configMap = resultsConfigMap(scope.buildInput, { snapshot, files, points });
  const { name } = configMap.metadata;
  try {
    await client.create(ConfigMap, configMap, { signal });
    return name;
  } catch (error) {
    // Created by an earlier reconcile that was interrupted.
    if (error instanceof AlreadyExistsError) return name;
    if (!(error instanceof ForbiddenError)) throw error;
    log.warn("Failed to store the results in a ConfigMap", { error });
    return undefined;
  }
}
