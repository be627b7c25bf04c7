import { annotations } from "../api/names.ts";
import { initialStatus } from "../status/plans.ts";
import { create } from "./create.ts";
import { reconcileFinished } from "./finished.ts";
import { rerunIfRequested } from "./rerun.ts";
import { reconcileRunning } from "./running.ts";
import { type Dependencies, type Next, TestScope } from "./scope.ts";
import type { Context } from "../observe/kinds.ts";
import { discardIfStopped } from "./stop.ts";

/** Reconciles one test that is not being deleted. docs/internals/locust.md draws the phases. */
export async function reconcile(context: Context, dependencies: Dependencies): Promise<Next> {
  const scope = new TestScope(context, dependencies);
  try {
    if (scope.phase === undefined) await context.step("initialize", () => initialize(scope));
    const rerun = await context.step("rerun", () => rerunIfRequested(scope));
    if (rerun !== undefined) return rerun;
    switch (scope.phase) {
      case "Succeeded":
      case "Failed":
        logIgnoredEdit(scope);
        return await context.step("finished", () => reconcileFinished(scope));
      case "Running":
        logIgnoredEdit(scope);
        return await context.step("running", () => reconcileRunning(scope));
      case "Pending":
      case undefined:
        return await context.step("create", async () => ((await discardIfStopped(scope)) ? undefined : create(scope)));
    }
  } finally {
    scope.metrics.observePhase(scope.test, scope.phase);
  }
}

async function initialize(scope: TestScope): Promise<void> {
  const { spec, metadata } = scope.test;
  scope.setStatus(initialStatus({ replicas: spec.worker.replicas, run: 1, now: scope.now }));
  // A test that is created with a rerun annotation gets one run, not two.
  const token = metadata.annotations?.[annotations.rerun];
  if (token !== undefined) scope.setStatus({ fields: { lastRerunToken: token } });
  await scope.save("initialize status");
}

/** Logs once per edit that an edit of a started test has no effect, with the messages of the Go operator. */
function logIgnoredEdit({ context: { log, name, namespace }, status, generation }: TestScope): void {
  if (status.observedGeneration === undefined || generation <= status.observedGeneration) return;
  log.info("LocustTest updated - NO-OP by design", { name, namespace });
  log.info("Update operations on LocustTest are not currently supported!", { name });
}
