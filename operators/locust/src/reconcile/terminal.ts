import type { DeepReadonly } from "@homeostat/core";
import type { LocustTestStatus } from "../api/locust-test.ts";
import { conditions } from "../status/conditions.ts";
import { driftPlan } from "../status/drift.ts";
import { endOf } from "../observe/jobs.ts";
import { events } from "./events.ts";
import { leave } from "./finish.ts";
import { observe } from "../observe/observe.ts";
import type { Next, Pass } from "./scope.ts";

/** Looks after a test that is over: 17.5. Nothing is made or changed but what it says about later edits. */
export async function rest(pass: Pass): Promise<Next> {
  leave(pass);
  if (isProvisional(pass.status) && (await hasRecovered(pass))) return resume(pass);
  pass.say(driftPlan(pass.generation, pass.startedGeneration));
  return undefined;
}

/** What Kubernetes keeps trying by itself, so that the load may begin after all. */
const passing = ["ConfigurationError", "ImagePullError", "SchedulingError"];

/** Whether a test failed for nothing but pods that could not start, and for a reason that may pass. */
export function isProvisional({ phase, conditions: given = [] }: DeepReadonly<LocustTestStatus>): boolean {
  const pods = given.find(({ type }) => type === "PodsHealthy");
  const test = given.find(({ type }) => type === "TestCompleted");
  return (
    phase === "Failed" &&
    pods?.status === "False" &&
    passing.includes(pods.reason) &&
    test?.reason === "TestFailed" &&
    test.message.startsWith(`Test failed: ${pods.reason}: `)
  );
}

/** Whether all pods of the run are up, and the master has not ended. */
async function hasRecovered(pass: Pass): Promise<boolean> {
  const { owned } = pass.context;
  const master = owned.jobs.get(pass.nodeName("master"));
  const worker = owned.jobs.get(pass.nodeName("worker"));
  const isOfThisRun = master !== undefined && master.metadata.uid === pass.status.masterJobUID;
  if (!isOfThisRun || endOf(master) !== undefined || endOf(worker) !== undefined) return false;
  const { pods, health } = await observe(pass, { master, worker });
  const isUp = pods.length > 0 && pods.every(({ pod }) => pod.status?.phase === "Running");
  return isUp && health.isHealthy && !health.isHanging;
}

/** R5: a failure that was none. */
async function resume(pass: Pass): Promise<Next> {
  const { log, name } = pass.context;
  pass.say(driftPlan(pass.generation, pass.startedGeneration));
  pass.say({
    fields: { phase: "Running", completionTime: undefined, result: undefined },
    conditions: {
      Ready: conditions.Ready.created,
      TestCompleted: conditions.TestCompleted.running,
      PodsHealthy: { status: true, reason: "PodsHealthy", message: "All pods are healthy" },
    },
  });
  await pass.save("Failed to update status from Jobs");
  pass.event(events.testRecovered);
  log.info("Phase transition", { from: "Failed", to: "Running", locustTest: name });
  // There is more to say, which the next pass does.
  return { requeueAfterMs: 1 };
}
